// Claims: users contest an Artifact. A claim never changes what is registered, and is public and permanent.

import { randomUUID } from 'node:crypto';
import { type Claim, type Fingerprint, RegistryError, type User } from '@provenance-registry/core';
import { notifyOfClaim } from '../accounts/notices.js';
import { type Caller, lockAccount, requireUserSession } from '../caller.js';
import { fieldError, unknownArtifactError } from '../errors.js';
import { claimEntry } from '../log/leaves.js';
import { findMark, mayWrite, requireWriteAccess } from '../marks/marks.js';
import { type PageRequest, readPage } from '../pages.js';
import type { CheckedEvidence, ClaimMark, Ports, Store, StoredArtifact, StoredClaim } from '../ports/index.js';
import { checkEvidence, type EvidenceRequest } from './claimEvidence.js';

/** Open claims of one account without checked evidence: enough for a wrong done to one person, too few to smear a rival. */
const MAX_OPEN_UNCHECKED_CLAIMS = 10;
/** Claims of one account within 24 hours, with or without checked evidence: claims are kept for good. */
const MAX_CLAIMS_PER_DAY = 100;
/** More than any reader wants to see. */
const MAX_LISTED_CLAIMS = 100;

export interface ClaimRequest extends EvidenceRequest {
  readonly statement: string;
  readonly markId?: string;
}

export async function createClaim(
  ports: Ports,
  caller: Caller,
  fingerprint: Fingerprint,
  request: ClaimRequest,
): Promise<Claim> {
  requireUserSession(caller);
  requireVerifiedAddress(ports, caller.user);
  const artifact = await findContestable(ports.store, caller, fingerprint);
  if (request.markId !== undefined) await requirePublicMark(ports.store, caller, request.markId);
  const claimantId = caller.user.id;
  await requireFewClaims(ports.store, claimantId, artifact, 'checked');
  const { evidence, kept } = await checkEvidence(ports, request, artifact);
  const id = randomUUID();
  return ports.store.transaction(async (store) => {
    // Of several claims at once, each sees the ones before it.
    await lockAccount(store, claimantId);
    await requireFewClaims(store, claimantId, artifact, evidence.state);
    const statement = normalizeLineBreaks(request.statement);
    await store.claims.insert({
      id,
      artifactId: artifact.id,
      contestedMarkId: artifact.markId,
      claimantId,
      markId: request.markId,
      kind: request.kind,
      statement,
      evidence,
      evidenceBytes: kept,
    });
    const claim = await findClaim(store, id);
    await store.log.append(
      claimEntry({
        id,
        fingerprint: claim.fingerprint,
        step: 'claim',
        text: statement,
        authorId: claimantId,
        evidence: kept,
        time: ports.clock(),
      }),
    );
    await appendClaimEvent(store, 'claim.created', claimantId, claim);
    await notifyOfClaim(ports, store, 'claim-received', claim);
    return toClaimView(ports, claim);
  });
}

export async function listArtifactClaims(ports: Ports, fingerprint: Fingerprint): Promise<{ claims: Claim[] }> {
  const artifact = await ports.store.artifacts.find(fingerprint);
  if (!artifact) throw unknownArtifactError();
  const claims = await ports.store.claims.listOfArtifact(artifact.id, MAX_LISTED_CLAIMS);
  return { claims: claims.map((claim) => toClaimView(ports, claim)) };
}

export async function listOwnClaims(
  ports: Ports,
  caller: Caller,
  { role, ...page }: PageRequest & { role: 'made' | 'received' },
): Promise<{ claims: Claim[]; nextCursor: string | null }> {
  requireUserSession(caller);
  const { id } = caller.user;
  const of = role === 'made' ? { claimantId: id } : { contestedMarkAdminId: id };
  const { rows, nextCursor } = await readPage(page, (limit, after) => ports.store.claims.list(of, { limit, after }));
  return { claims: rows.map((claim) => toClaimView(ports, claim)), nextCursor };
}

export async function readClaimEvidence(ports: Ports, id: string): Promise<Uint8Array> {
  const evidence = await ports.store.claims.readEvidence(id);
  if (!evidence) throw new RegistryError('NOT_FOUND', 'There is no such claim, or no file with it.');
  return evidence;
}

/** The same for every reader. What a private Mark does not show elsewhere is not shown here either. */
export function toClaimView({ baseUrl }: Pick<Ports, 'baseUrl'>, claim: StoredClaim): Claim {
  const { id, fingerprint, endedAs, kind, claimant, mark, statement, evidence, entries, createdAt } = claim;
  const isHidden = !claim.contestedMark.isPublic;
  return {
    id,
    fingerprint,
    status: endedAs ?? 'open',
    kind,
    claimant,
    mark: toMarkReference(mark),
    statement,
    evidence: {
      state: evidence.state,
      time: evidence.time?.toISOString() ?? null,
      source: evidence.facts.source,
      reason: evidence.facts.reason,
      url: claim.hasEvidenceBytes ? `${baseUrl}/api/v1/public/claims/${id}/evidence` : null,
    },
    entries: entries.map((entry) => ({
      type: entry.type,
      author: isHidden && entry.type !== 'withdrawal' ? null : entry.author,
      text: entry.text,
      mark: toMarkReference(entry.mark),
      at: entry.at.toISOString(),
    })),
    createdAt: createdAt.toISOString(),
  };
}

export async function findClaim(store: Store, id: string): Promise<StoredClaim> {
  const claim = await store.claims.find(id);
  if (!claim) throw unknownClaimError();
  return claim;
}

export function unknownClaimError(): RegistryError {
  return new RegistryError('NOT_FOUND', 'There is no such claim.');
}

type ClaimEventType =
  | 'claim.created'
  | 'claim.answered'
  | 'claim.withdrawn'
  | 'claim.conceded'
  | 'claim.noted'
  | 'claim.rechecked';

/** The claimant does these itself. */
const ownClaimEvents: readonly ClaimEventType[] = ['claim.created', 'claim.withdrawn'];

/**
 * An event of the contested Mark, and another one for the claimant: that has neither the Mark nor the actor, who may be
 * private.
 */
export async function appendClaimEvent(
  store: Store,
  type: ClaimEventType,
  actorId: string | undefined,
  { id: claimId, fingerprint, contestedMark, claimant }: StoredClaim,
): Promise<void> {
  const data = { claimId, fingerprint };
  const organizationId = contestedMark.organizationId ?? undefined;
  await store.events.append({ type, actorId, organizationId, markId: contestedMark.id, data });
  if (ownClaimEvents.includes(type)) return;
  await store.events.append({ type, actorId: undefined, userId: claimant.id, data, isListed: false });
}

/** Forms have the line breaks of other systems. */
export function normalizeLineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function toMarkReference(mark: ClaimMark | null): { id: string; name: string } | null {
  return mark && { id: mark.id, name: mark.name };
}

/** The answer must reach the claimant, and accounts must cost something. */
function requireVerifiedAddress({ mail }: Ports, { emailVerified }: User): void {
  if (!mail.isEnabled || emailVerified) return;
  throw new RegistryError('FORBIDDEN', 'Verify your email address before you contest an Artifact.');
}

async function findContestable(store: Store, caller: Caller, fingerprint: Fingerprint): Promise<StoredArtifact> {
  const artifact = await store.artifacts.find(fingerprint);
  if (!artifact || artifact.status === 'failed') throw unknownArtifactError();
  if (await mayWrite(store, caller, await findMark(store, artifact.markId))) {
    throw new RegistryError('FORBIDDEN', 'You may register under the Mark of this Artifact, so you cannot contest it.');
  }
  return artifact;
}

async function requirePublicMark(store: Store, caller: Caller, id: string): Promise<void> {
  const { mark } = await requireWriteAccess(store, caller, id);
  if (mark.visibility === 'public') return;
  throw fieldError('markId', 'A claim is public and cannot name a private Mark.');
}

async function requireFewClaims(
  store: Store,
  claimantId: string,
  { id }: StoredArtifact,
  state: CheckedEvidence['state'],
): Promise<void> {
  const { hasOpenClaim, openUnchecked, recent } = await store.claims.countOf(claimantId, id);
  if (hasOpenClaim) throw new RegistryError('CONFLICT', 'You have an open claim to this Artifact already.');
  if (recent >= MAX_CLAIMS_PER_DAY) {
    throw new RegistryError('CONFLICT', `You have made ${MAX_CLAIMS_PER_DAY} claims within 24 hours. Try again later.`);
  }
  if (state !== 'checked' && openUnchecked >= MAX_OPEN_UNCHECKED_CLAIMS) {
    throw new RegistryError(
      'CONFLICT',
      `You have ${MAX_OPEN_UNCHECKED_CLAIMS} open claims without checked evidence. Withdraw one, or wait for an answer.`,
    );
  }
}

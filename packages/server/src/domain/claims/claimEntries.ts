// What is said and done about a claim: answers, withdrawal, concession, and notes of the operator. Nothing is taken back.

import { type Claim, RegistryError } from '@provenance-registry/core';
import { notifyOfClaim } from '../accounts/notices.js';
import { type Caller, requireUserSession } from '../caller.js';
import { claimEntry } from '../log/leaves.js';
import { lockMarkAsAdmin } from '../marks/marks.js';
import type { NewClaimEntry, Ports, Store, StoredClaim } from '../ports/index.js';
import { appendClaimEvent, findClaim, normalizeLineBreaks, toClaimView, unknownClaimError } from './claims.js';

/** Answers and notes. A dispute that needs more is not settled here; ending the claim stays possible. */
const MAX_ENTRIES = 50;

export async function answerClaim(ports: Ports, caller: Caller, id: string, text: string): Promise<Claim> {
  requireUserSession(caller);
  return ports.store.transaction(async (store) => {
    const claim = requireOpen(await lockAsAdmin(store, caller, id));
    requireFewEntries(claim);
    await append(ports, store, claim, { claimId: id, type: 'answer', authorId: caller.user.id, text });
    await appendClaimEvent(store, 'claim.answered', caller.user.id, claim);
    await notifyOfClaim(ports, store, 'claim-answered', claim);
    return toClaimView(ports, await findClaim(store, id));
  });
}

export async function withdrawClaim(ports: Ports, caller: Caller, id: string, text?: string): Promise<Claim> {
  requireUserSession(caller);
  return ports.store.transaction(async (store) => {
    const claim = await lockClaim(store, id);
    if (claim.claimant.id !== caller.user.id) {
      throw new RegistryError('FORBIDDEN', 'Only the claimant may withdraw a claim.');
    }
    requireOpen(claim);
    await append(ports, store, claim, { claimId: id, type: 'withdrawal', authorId: caller.user.id, text });
    await store.claims.end(id, 'withdrawn');
    await appendClaimEvent(store, 'claim.withdrawn', caller.user.id, claim);
    await notifyOfClaim(ports, store, 'claim-withdrawn', claim);
    return toClaimView(ports, await findClaim(store, id));
  });
}

export async function concedeClaim(ports: Ports, caller: Caller, id: string, text?: string): Promise<Claim> {
  requireUserSession(caller);
  return ports.store.transaction(async (store) => {
    const claim = requireOpen(await lockAsAdmin(store, caller, id));
    if (!claim.mark?.isPublic) {
      throw new RegistryError('CONFLICT', 'The claim names no public Mark that the file could be conceded to.');
    }
    const { id: markId } = claim.mark;
    await append(ports, store, claim, { claimId: id, type: 'superseded', authorId: caller.user.id, text, markId });
    await store.claims.end(id, 'superseded');
    await appendClaimEvent(store, 'claim.conceded', caller.user.id, claim);
    await notifyOfClaim(ports, store, 'claim-conceded', claim);
    return toClaimView(ports, await findClaim(store, id));
  });
}

/** Adds a note, which is possible on claims that have ended too. */
export async function addOperatorNote(ports: Ports, id: string, text: string): Promise<Claim> {
  return ports.store.transaction(async (store) => {
    const claim = await lockClaim(store, id);
    requireFewEntries(claim);
    await append(ports, store, claim, { claimId: id, type: 'operator-note', authorId: undefined, text });
    await appendClaimEvent(store, 'claim.noted', undefined, claim);
    await notifyOfClaim(ports, store, 'claim-noted', claim);
    return toClaimView(ports, await findClaim(store, id));
  });
}

/** The Mark is locked first, so that only its present admin acts. */
async function lockAsAdmin(store: Store, caller: Caller, id: string): Promise<StoredClaim> {
  const { contestedMark } = await findClaim(store, id);
  await lockMarkAsAdmin(store, caller, contestedMark.id);
  return lockClaim(store, id);
}

async function lockClaim(store: Store, id: string): Promise<StoredClaim> {
  const claim = await store.claims.lock(id);
  if (!claim) throw unknownClaimError();
  return claim;
}

function requireOpen(claim: StoredClaim): StoredClaim {
  if (claim.endedAs === null) return claim;
  const how = claim.endedAs === 'withdrawn' ? 'was withdrawn' : 'was conceded';
  throw new RegistryError('CONFLICT', `The claim ${how}.`);
}

function requireFewEntries({ entries }: StoredClaim): void {
  if (entries.length < MAX_ENTRIES) return;
  throw new RegistryError('CONFLICT', `The claim has ${MAX_ENTRIES} entries, which is the most that it can have.`);
}

async function append(
  { clock }: Ports,
  { claims, log }: Store,
  { id, fingerprint }: StoredClaim,
  { text: written, ...entry }: NewClaimEntry,
): Promise<void> {
  const text = written && normalizeLineBreaks(written);
  await claims.appendEntry({ ...entry, text });
  await log.append(claimEntry({ id, fingerprint, step: entry.type, text, authorId: entry.authorId, time: clock() }));
}

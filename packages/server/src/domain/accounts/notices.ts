// Notices by mail: of changes that matter for the security of an account, of claims, of domains, and of webhooks.

import { findMark } from '../marks/marks.js';
import type {
  ClaimNoticeKind,
  DomainNotice,
  NoticeKind,
  Ports,
  Store,
  StoredClaim,
  StoredWebhook,
  WebhookNotice,
} from '../ports/index.js';

/**
 * Queues the notice in the transaction of its cause, if the address is verified: others may belong to someone else.
 * @param user as before the change: the notice goes to that address
 */
export async function notifyUser(
  { mail, clock }: Pick<Ports, 'mail' | 'clock'>,
  store: Store,
  user: { readonly email: string | null; readonly emailVerified: boolean },
  kind: NoticeKind,
  details: { readonly organizationId?: string } = {},
): Promise<void> {
  if (user.email === null || !user.emailVerified) return;
  await mail.enqueue(store, {
    recipient: user.email,
    template: 'security-notice',
    data: { kind, at: clock().toISOString(), ...details },
  });
}

/** Queues the notice for the side that did not act, in the transaction of its cause; for both when the operator did. */
export async function notifyOfClaim(
  { mail, clock }: Pick<Ports, 'mail' | 'clock'>,
  store: Store,
  kind: ClaimNoticeKind,
  { id: claimId, claimant, contestedMark }: StoredClaim,
): Promise<void> {
  const at = clock().toISOString();
  for (const userId of recipientsOf[kind]({ claimantId: claimant.id, adminId: contestedMark.adminId })) {
    const recipient = await findVerifiedAddress(store, userId);
    if (recipient) await mail.enqueue(store, { recipient, template: 'claim-notice', data: { kind, claimId, at } });
  }
}

type ClaimSides = Readonly<Record<'claimantId' | 'adminId', string>>;

const recipientsOf: Readonly<Record<ClaimNoticeKind, (sides: ClaimSides) => string[]>> = {
  'claim-received': ({ adminId }) => [adminId],
  'claim-withdrawn': ({ adminId }) => [adminId],
  'claim-answered': ({ claimantId }) => [claimantId],
  'claim-conceded': ({ claimantId }) => [claimantId],
  'claim-noted': ({ claimantId, adminId }) => [claimantId, adminId],
  'claim-rechecked': ({ claimantId, adminId }) => [claimantId, adminId],
};

/** Queues the notice to the admin of the Mark, in the transaction of its cause. */
export async function notifyAboutDomain(
  { mail }: Pick<Ports, 'mail'>,
  store: Store,
  data: DomainNotice,
): Promise<void> {
  const { admin } = await findMark(store, data.markId);
  const recipient = await findVerifiedAddress(store, admin.id);
  if (recipient) await mail.enqueue(store, { recipient, template: 'domain-notice', data });
}

/** Queues the notice to the user, or to the owner of the organization, in the transaction of its cause. */
export async function notifyAboutWebhook(
  { mail }: Pick<Ports, 'mail'>,
  store: Store,
  { id: webhookId, userId, organizationId }: Pick<StoredWebhook, 'id' | 'userId' | 'organizationId'>,
  reason: WebhookNotice['reason'],
): Promise<void> {
  const ownerId = organizationId === null ? userId : await store.organizations.findOwnerId(organizationId);
  const recipient = ownerId ? await findVerifiedAddress(store, ownerId) : undefined;
  if (recipient) await mail.enqueue(store, { recipient, template: 'webhook-notice', data: { webhookId, reason } });
}

async function findVerifiedAddress(store: Store, userId: string): Promise<string | undefined> {
  const user = await store.users.findById(userId);
  return user?.emailVerified && user.email !== null ? user.email : undefined;
}

// Notices by mail of changes that matter for the security of an account.

import type { NoticeKind, Ports, Store } from './ports/index.js';

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

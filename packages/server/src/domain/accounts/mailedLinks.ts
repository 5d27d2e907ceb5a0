// Links in mails, and what a change of the password does to them.

import type { User } from '@provenance-registry/core';
import type { Store } from '../ports/index.js';

/** A new password locks out anyone who knew the old one: also reset links, and an email change that is not verified yet. */
export async function revokeLinks({ oneTimeTokens }: Store, { id, email }: User): Promise<void> {
  await oneTimeTokens.deleteOf(id, 'reset-password');
  for (const link of await oneTimeTokens.listOf(id, 'verify-email')) {
    if (link.email !== email) await oneTimeTokens.delete(link.id);
  }
}

// How many events one account can cause in a day: they are never deleted. Those of registrations, which are deleted after a
// time, have the limits of the tier.

import type { EventType } from './events.js';

/** Changes of one account in a day (UTC): more than scripts for whole catalogs make, and 10 MB of rows. */
export const DAILY_CHANGES = 10_000;
/** Changes of its own password, address and second factor in a day. Others, without the password, cannot use them up. */
export const DAILY_CREDENTIAL_CHANGES = 100;

export interface DailyEventLimit {
  /** What is counted together. */
  readonly subject: 'changes' | 'credentials';
  readonly limit: number;
}

const changes: DailyEventLimit = { subject: 'changes', limit: DAILY_CHANGES };
const credentials: DailyEventLimit = { subject: 'credentials', limit: DAILY_CREDENTIAL_CHANGES };

/**
 * Undefined for events that end something, or follow from what is counted: they are never refused, and there are no more of
 * them than of others.
 */
const limits: Readonly<Record<EventType, DailyEventLimit | undefined>> = {
  'organization.created': changes,
  'organization.units_changed': changes,
  'organization.tier_changed': changes,
  'organization.frozen': undefined,
  'organization.unfrozen': undefined,
  'organization.transferred': changes,
  'invitation.created': changes,
  'invitation.accepted': undefined,
  'invitation.declined': undefined,
  'invitation.withdrawn': undefined,
  'invitation.expired': undefined,
  'member.role_changed': changes,
  'member.left': undefined,
  'member.removed': undefined,
  'mark.created': changes,
  'mark.updated': changes,
  'mark.admin_changed': changes,
  'mark.member_left': undefined,
  'mark.member_removed': undefined,
  'mark.representative_changed': changes,
  'domain.claimed': changes,
  'domain.verified': undefined,
  'domain.failing': undefined,
  'domain.lapsed': undefined,
  'domain.expired': undefined,
  'domain.removed': undefined,
  'claim.created': changes,
  'claim.answered': changes,
  'claim.withdrawn': undefined,
  'claim.conceded': undefined,
  'claim.noted': undefined,
  'claim.rechecked': undefined,
  'artifact.created': undefined,
  'artifact.submitted': undefined,
  'artifact.failed': undefined,
  'rendition.created': undefined,
  'rendition.submitted': undefined,
  'rendition.failed': undefined,
  'lookalike.found': undefined,
  'key.created': changes,
  'key.expiring': undefined,
  'key.new_address': undefined,
  'key.revoked': undefined,
  'key.expired': undefined,
  'webhook.created': changes,
  'webhook.updated': changes,
  'webhook.paused': undefined,
  'webhook.deleted': undefined,
  'account.password_changed': credentials,
  'account.email_changed': credentials,
  'account.totp_enabled': credentials,
  'account.totp_disabled': credentials,
  'account.sessions_ended': undefined,
  'account.closed': undefined,
};

/** What events of this type count against, for their actor. */
export function dailyLimitOf(type: EventType): DailyEventLimit | undefined {
  return limits[type];
}

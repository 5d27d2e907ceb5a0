// Events of an organization as sentences.

import { type EventType, type RegistryEvent, tierNames } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/events/events';
import { language } from '#texts/site/format';
import { tierLabels } from '../tierLimits.js';

/** Those that the list of an organization contains. */
type OrganizationEventType = Exclude<EventType, `${'account' | 'artifact' | 'rendition' | 'lookalike'}.${string}`>;

type Sentence = (names: texts.Names, event: RegistryEvent) => ReactNode;

export function EventSentence({ event }: { readonly event: RegistryEvent }) {
  const { type } = event;
  return isOrganizationEvent(type) ? sentences[type](namesOf(event), event) : type;
}

function isOrganizationEvent(type: EventType): type is OrganizationEventType {
  return Object.hasOwn(sentences, type);
}

const sentences: Readonly<Record<OrganizationEventType, Sentence>> = {
  'organization.created': texts.organizationCreated,
  'organization.units_changed': (names, event) =>
    texts.unitsChanged(names, readNumber(event, 'from'), readNumber(event, 'to')),
  'organization.tier_changed': (_, event) => texts.tierChanged(readTier(event, 'from'), readTier(event, 'to')),
  'organization.frozen': () => texts.organizationFrozen,
  'organization.unfrozen': () => texts.organizationUnfrozen,
  'organization.transferred': texts.organizationTransferred,
  'invitation.created': (names, event) => {
    if (event.mark) return texts.markMemberInvited(names);
    return isForAdmin(event) ? texts.adminInvited(names) : texts.memberInvited(names);
  },
  'invitation.accepted': (names, event) => {
    if (event.mark) return texts.joinedMark(names);
    return isForAdmin(event) ? texts.joinedAsAdmin(names) : texts.joined(names);
  },
  // Without an actor: it would tell which account an address belongs to.
  'invitation.declined': (names, { mark }) => (mark ? texts.markInvitationDeclined(names) : texts.invitationDeclined),
  'invitation.withdrawn': (names, { actor, mark }) => {
    if (actor) return mark ? texts.markInvitationWithdrawnBy(names) : texts.invitationWithdrawnBy(names);
    return mark ? texts.markInvitationWithdrawn(names) : texts.invitationWithdrawn;
  },
  'invitation.expired': (names, { mark }) => (mark ? texts.markInvitationExpired(names) : texts.invitationExpired),
  'member.role_changed': (names, event) => (isForAdmin(event) ? texts.madeAdmin(names) : texts.adminRoleRemoved(names)),
  'member.left': texts.memberLeft,
  'member.removed': (names, { actor }) => (actor ? texts.memberRemovedBy(names) : texts.memberRemoved(names)),
  'mark.created': texts.markCreated,
  'mark.updated': (names, event) => texts.markUpdated(names, describeFields(event)),
  'mark.admin_changed': (names, { actor, user }) =>
    actor && actor.id !== user?.id ? texts.markAdminChangedBy(names) : texts.markAdminChanged(names),
  'mark.member_left': texts.markMemberLeft,
  'mark.member_removed': texts.markMemberRemoved,
  'mark.representative_changed': texts.representativeChanged,
  'domain.claimed': texts.domainClaimed,
  'domain.verified': texts.domainVerified,
  'domain.failing': texts.domainFailing,
  'domain.lapsed': texts.domainLapsed,
  'domain.expired': texts.domainExpired,
  'domain.removed': texts.domainRemoved,
  'claim.created': texts.claimCreated,
  'claim.answered': texts.claimAnswered,
  'claim.withdrawn': texts.claimWithdrawn,
  'claim.conceded': texts.claimConceded,
  'claim.noted': texts.claimNoted,
  'claim.rechecked': texts.claimRechecked,
  'key.created': texts.keyCreated,
  'key.revoked': (names, { actor }) => (actor ? texts.keyRevokedBy(names) : texts.keyRevoked(names)),
  'key.expiring': texts.keyExpiring,
  'key.new_address': texts.keyUsedElsewhere,
  'key.expired': texts.keyExpired,
  'webhook.created': texts.webhookCreated,
  'webhook.updated': texts.webhookUpdated,
  'webhook.paused': () => texts.webhookPaused,
  'webhook.deleted': texts.webhookDeleted,
};

function namesOf({ actor, user, mark, key, data }: RegistryEvent): texts.Names {
  const domain = data?.['domain'];
  return {
    // The service and its operator act without an account.
    actor: actor ? <Name>{actor.name}</Name> : texts.theService,
    user: user ? <Name>{user.name}</Name> : texts.aMember,
    mark: mark && <Name>{mark.name}</Name>,
    apiKey: key && <Name>{key.name}</Name>,
    domain: <Name>{typeof domain === 'string' ? domain : texts.unknown}</Name>,
  };
}

function Name({ children }: { readonly children: string }) {
  return (
    <strong>
      <bdi>{children}</bdi>
    </strong>
  );
}

function isForAdmin({ data }: RegistryEvent): boolean {
  return data?.['isAdmin'] === true;
}

function readNumber({ data }: RegistryEvent, name: string): string {
  return String(data?.[name] ?? texts.unknown);
}

function readTier({ data }: RegistryEvent, name: string): string {
  const value = tierNames.find((one) => one === data?.[name]);
  return value ? tierLabels[value] : texts.unknown;
}

const listFormat = new Intl.ListFormat(language, { type: 'conjunction' });

function describeFields({ data }: RegistryEvent): string {
  const fields = data?.['fields'];
  const labels = Array.isArray(fields) ? fields.flatMap((field: string) => texts.markFields[field] ?? []) : [];
  return labels.length === 0 ? texts.someSettings : listFormat.format(labels);
}

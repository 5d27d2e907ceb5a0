// Events of an organization as sentences.

import { type EventType, type RegistryEvent, tierNames } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import { tierLabels } from './tierLimits.js';

/** Events of accounts are not part of an organization. */
type OrganizationEventType = Exclude<EventType, `account.${string}`>;

type Sentence = (event: RegistryEvent) => ReactNode;

export function EventSentence({ event }: { readonly event: RegistryEvent }) {
  const { type } = event;
  return isOrganizationEvent(type) ? sentences[type](event) : type;
}

function isOrganizationEvent(type: EventType): type is OrganizationEventType {
  return Object.hasOwn(sentences, type);
}

const sentences: Readonly<Record<OrganizationEventType, Sentence>> = {
  'organization.created': (event) => <>{actor(event)} created the organization.</>,
  'organization.units_changed': (event) => (
    <>
      {actor(event)} changed the additional usage units from {number(event, 'from')} to {number(event, 'to')}.
    </>
  ),
  'organization.tier_changed': (event) => (
    <>
      The tier changed from {tier(event, 'from')} to {tier(event, 'to')}.
    </>
  ),
  'organization.frozen': () => 'The organization was frozen.',
  'organization.unfrozen': () => 'The organization is no longer frozen.',
  'organization.transferred': (event) => (
    <>
      {actor(event)} transferred the organization to {user(event)}.
    </>
  ),
  'invitation.created': (event) => (
    <>
      {actor(event)} invited a new {event.data?.['isAdmin'] === true ? 'admin' : 'member'}
      {toMark(event)}.
    </>
  ),
  'invitation.accepted': (event) => (
    <>
      {actor(event)} accepted an invitation and joined{event.mark ? <> the Mark {mark(event)}</> : ' the organization'}
      {event.data?.['isAdmin'] === true && ' as an admin'}.
    </>
  ),
  // Without an actor: it would tell which account an address belongs to.
  'invitation.declined': (event) => <>An invitation{toMark(event)} was declined.</>,
  'invitation.withdrawn': (event) => (
    <>
      {event.actor ? (
        <>
          {actor(event)} withdrew an invitation{toMark(event)}
        </>
      ) : (
        <>An invitation{toMark(event)} was withdrawn</>
      )}
      .
    </>
  ),
  'invitation.expired': (event) => <>An invitation{toMark(event)} expired.</>,
  'member.role_changed': (event) =>
    event.data?.['isAdmin'] === true ? (
      <>
        {actor(event)} made {user(event)} an admin.
      </>
    ) : (
      <>
        {actor(event)} removed the admin role of {user(event)}.
      </>
    ),
  'member.left': (event) => <>{user(event)} left the organization.</>,
  'member.removed': (event) =>
    event.actor ? (
      <>
        {actor(event)} removed {user(event)} from the organization.
      </>
    ) : (
      <>{user(event)} was removed from the organization.</>
    ),
  'mark.created': (event) => (
    <>
      {actor(event)} created the Mark {mark(event)}.
    </>
  ),
  'mark.updated': (event) => (
    <>
      {actor(event)} changed {changedFields(event)} of the Mark {mark(event)}.
    </>
  ),
  'mark.admin_changed': (event) => (
    <>
      {user(event)} became the admin of the Mark {mark(event)}
      {event.actor && event.actor.id !== event.user?.id && <>, by {actor(event)}</>}.
    </>
  ),
  'mark.member_left': (event) => (
    <>
      {user(event)} left the Mark {mark(event)}.
    </>
  ),
  'mark.member_removed': (event) => (
    <>
      {actor(event)} removed {user(event)} from the Mark {mark(event)}.
    </>
  ),
  'mark.representative_changed': (event) => (
    <>
      {actor(event)} changed which Mark represents {mark(event)}.
    </>
  ),
  'domain.claimed': (event) => (
    <>
      {actor(event)} claimed the domain {domain(event)} for {mark(event)}.
    </>
  ),
  'domain.verified': (event) => (
    <>
      The domain {domain(event)} of {mark(event)} was verified.
    </>
  ),
  'domain.failing': (event) => (
    <>
      The domain {domain(event)} of {mark(event)} could not be confirmed.
    </>
  ),
  'domain.lapsed': (event) => (
    <>
      The domain {domain(event)} of {mark(event)} lapsed.
    </>
  ),
  'domain.expired': (event) => (
    <>
      The claim of {mark(event)} to the domain {domain(event)} expired.
    </>
  ),
  'domain.removed': (event) => (
    <>
      {actor(event)} removed the domain {domain(event)} from {mark(event)}.
    </>
  ),
  'claim.created': (event) => (
    <>
      {actor(event)} contested a file registered under {mark(event)}.
    </>
  ),
  'claim.answered': (event) => (
    <>
      {actor(event)} answered a claim to a file of {mark(event)}.
    </>
  ),
  'claim.withdrawn': (event) => (
    <>
      {actor(event)} withdrew a claim to a file of {mark(event)}.
    </>
  ),
  'claim.conceded': (event) => (
    <>
      {actor(event)} conceded a claim to a file of {mark(event)}.
    </>
  ),
  'claim.noted': (event) => <>The operator added a note to a claim to a file of {mark(event)}.</>,
  'claim.rechecked': (event) => <>The evidence of a claim to a file of {mark(event)} was checked again.</>,
  'key.created': (event) => (
    <>
      {actor(event)} created the API key {key(event)}.
    </>
  ),
  'key.revoked': (event) =>
    event.actor ? (
      <>
        {actor(event)} revoked the API key {key(event)}.
      </>
    ) : (
      <>The API key {key(event)} was revoked.</>
    ),
  'key.expired': (event) => <>The API key {key(event)} expired.</>,
};

/** The service and its operator act without an account. */
function actor({ actor: person }: RegistryEvent): ReactNode {
  return person ? <Name>{person.name}</Name> : 'The service';
}

function user({ user: person }: RegistryEvent): ReactNode {
  return person ? <Name>{person.name}</Name> : 'a member';
}

function mark({ mark: reference }: RegistryEvent): ReactNode {
  return reference && <Name>{reference.name}</Name>;
}

function key({ key: reference }: RegistryEvent): ReactNode {
  return reference && <Name>{reference.name}</Name>;
}

function toMark(event: RegistryEvent): ReactNode {
  return event.mark && <> to the Mark {mark(event)}</>;
}

function Name({ children }: { readonly children: string }) {
  return (
    <strong>
      <bdi>{children}</bdi>
    </strong>
  );
}

function number({ data }: RegistryEvent, name: string): string {
  return String(data?.[name] ?? 'unknown');
}

function tier({ data }: RegistryEvent, name: string): string {
  const value = tierNames.find((one) => one === data?.[name]);
  return value ? tierLabels[value] : 'unknown';
}

const fieldLabels: Readonly<Record<string, string>> = {
  name: 'the name',
  visibility: 'the visibility',
  license: 'the license',
  allowAiTraining: 'the AI preference',
  aiPreferences: 'the AI preferences',
};

const listFormat = new Intl.ListFormat('en', { type: 'conjunction' });

function changedFields({ data }: RegistryEvent): string {
  const fields = data?.['fields'];
  const labels = Array.isArray(fields) ? fields.flatMap((field: string) => fieldLabels[field] ?? []) : [];
  return labels.length === 0 ? 'the settings' : listFormat.format(labels);
}

function domain({ data }: RegistryEvent): ReactNode {
  const name = data?.['domain'];
  return typeof name === 'string' ? <strong>{name}</strong> : 'of the Mark';
}

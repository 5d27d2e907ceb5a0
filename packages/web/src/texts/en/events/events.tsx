// The history of an organization: one sentence for each kind of event.

import type { ReactNode } from 'preact/compat';

export const historyTitle = 'History';
export const historyHint = 'Visible to the owner and to admins. Entries cannot be changed or removed.';
export const loadOlder = 'Load older';
export const isLoading = 'Loading …';

/** Who acts when no user does. */
export const theService = 'The service';
export const aMember = 'a member';
export const unknown = 'unknown';

/** Names of users, Marks and so on, as they are shown within a sentence. */
export interface Names {
  readonly actor: ReactNode;
  readonly user: ReactNode;
  readonly mark: ReactNode;
  readonly apiKey: ReactNode;
  readonly domain: ReactNode;
}

type Sentence = (names: Names) => ReactNode;

export const organizationCreated: Sentence = ({ actor }) => <>{actor} created the organization.</>;
export const unitsChanged = ({ actor }: Names, from: string, to: string) => (
  <>
    {actor} changed the additional usage units from {from} to {to}.
  </>
);
export const tierChanged = (from: string, to: string) => `The tier changed from ${from} to ${to}.`;
export const organizationFrozen = 'The organization was frozen.';
export const organizationUnfrozen = 'The organization is no longer frozen.';
export const organizationTransferred: Sentence = ({ actor, user }) => (
  <>
    {actor} transferred the organization to {user}.
  </>
);

export const adminInvited: Sentence = ({ actor }) => <>{actor} invited a new admin.</>;
export const memberInvited: Sentence = ({ actor }) => <>{actor} invited a new member.</>;
export const markMemberInvited: Sentence = ({ actor, mark }) => (
  <>
    {actor} invited a new member to the Mark {mark}.
  </>
);
export const joinedAsAdmin: Sentence = ({ actor }) => (
  <>{actor} accepted an invitation and joined the organization as an admin.</>
);
export const joined: Sentence = ({ actor }) => <>{actor} accepted an invitation and joined the organization.</>;
export const joinedMark: Sentence = ({ actor, mark }) => (
  <>
    {actor} accepted an invitation and joined the Mark {mark}.
  </>
);
export const invitationDeclined = 'An invitation was declined.';
export const markInvitationDeclined: Sentence = ({ mark }) => <>An invitation to the Mark {mark} was declined.</>;
export const invitationWithdrawnBy: Sentence = ({ actor }) => <>{actor} withdrew an invitation.</>;
export const markInvitationWithdrawnBy: Sentence = ({ actor, mark }) => (
  <>
    {actor} withdrew an invitation to the Mark {mark}.
  </>
);
export const invitationWithdrawn = 'An invitation was withdrawn.';
export const markInvitationWithdrawn: Sentence = ({ mark }) => <>An invitation to the Mark {mark} was withdrawn.</>;
export const invitationExpired = 'An invitation expired.';
export const markInvitationExpired: Sentence = ({ mark }) => <>An invitation to the Mark {mark} expired.</>;

export const madeAdmin: Sentence = ({ actor, user }) => (
  <>
    {actor} made {user} an admin.
  </>
);
export const adminRoleRemoved: Sentence = ({ actor, user }) => (
  <>
    {actor} removed the admin role of {user}.
  </>
);
export const memberLeft: Sentence = ({ user }) => <>{user} left the organization.</>;
export const memberRemovedBy: Sentence = ({ actor, user }) => (
  <>
    {actor} removed {user} from the organization.
  </>
);
export const memberRemoved: Sentence = ({ user }) => <>{user} was removed from the organization.</>;

export const markCreated: Sentence = ({ actor, mark }) => (
  <>
    {actor} created the Mark {mark}.
  </>
);
export const markUpdated = ({ actor, mark }: Names, fields: string) => (
  <>
    {actor} changed {fields} of the Mark {mark}.
  </>
);
export const someSettings = 'the settings';
export const markFields: Readonly<Record<string, string>> = {
  name: 'the name',
  visibility: 'the visibility',
  license: 'the license',
  allowAiTraining: 'the AI preference',
  aiPreferences: 'the AI preferences',
};
export const markAdminChanged: Sentence = ({ user, mark }) => (
  <>
    {user} became the admin of the Mark {mark}.
  </>
);
export const markAdminChangedBy: Sentence = ({ actor, user, mark }) => (
  <>
    {user} became the admin of the Mark {mark} (changed by {actor}).
  </>
);
export const markMemberLeft: Sentence = ({ user, mark }) => (
  <>
    {user} left the Mark {mark}.
  </>
);
export const markMemberRemoved: Sentence = ({ actor, user, mark }) => (
  <>
    {actor} removed {user} from the Mark {mark}.
  </>
);
export const representativeChanged: Sentence = ({ actor, mark }) => (
  <>
    {actor} changed which Mark represents {mark}.
  </>
);

export const domainClaimed: Sentence = ({ actor, domain, mark }) => (
  <>
    {actor} claimed the domain {domain} for {mark}.
  </>
);
export const domainVerified: Sentence = ({ domain, mark }) => (
  <>
    The domain {domain} of {mark} was verified.
  </>
);
export const domainFailing: Sentence = ({ domain, mark }) => (
  <>
    The domain {domain} of {mark} could not be confirmed.
  </>
);
export const domainLapsed: Sentence = ({ domain, mark }) => (
  <>
    The domain {domain} of {mark} lapsed.
  </>
);
export const domainExpired: Sentence = ({ domain, mark }) => (
  <>
    The claim of {mark} to the domain {domain} expired.
  </>
);
export const domainRemoved: Sentence = ({ actor, domain, mark }) => (
  <>
    {actor} removed the domain {domain} from {mark}.
  </>
);

export const claimCreated: Sentence = ({ actor, mark }) => (
  <>
    {actor} contested a file registered under {mark}.
  </>
);
export const claimAnswered: Sentence = ({ actor, mark }) => (
  <>
    {actor} answered a claim to a file of {mark}.
  </>
);
export const claimWithdrawn: Sentence = ({ actor, mark }) => (
  <>
    {actor} withdrew a claim to a file of {mark}.
  </>
);
export const claimConceded: Sentence = ({ actor, mark }) => (
  <>
    {actor} conceded a claim to a file of {mark}.
  </>
);
export const claimNoted: Sentence = ({ mark }) => <>The operator added a note to a claim to a file of {mark}.</>;
export const claimRechecked: Sentence = ({ mark }) => (
  <>The evidence of a claim to a file of {mark} was checked again.</>
);

export const keyCreated: Sentence = ({ actor, apiKey }) => (
  <>
    {actor} created the API key {apiKey}.
  </>
);
export const keyRevokedBy: Sentence = ({ actor, apiKey }) => (
  <>
    {actor} revoked the API key {apiKey}.
  </>
);
export const keyRevoked: Sentence = ({ apiKey }) => <>The API key {apiKey} was revoked.</>;
export const keyExpired: Sentence = ({ apiKey }) => <>The API key {apiKey} expired.</>;
export const keyExpiring: Sentence = ({ apiKey }) => <>The API key {apiKey} expires within seven days.</>;
export const keyUsedElsewhere: Sentence = ({ apiKey }) => <>The API key {apiKey} was used from a new address.</>;
export const webhookCreated: Sentence = ({ actor }) => <>{actor} created a webhook.</>;
export const webhookUpdated: Sentence = ({ actor }) => <>{actor} changed a webhook.</>;
export const webhookPaused = 'A webhook was paused, because its receiver did not accept events.';
export const webhookDeleted: Sentence = ({ actor }) => <>{actor} deleted a webhook.</>;

// The grants of the service and the ways of losing them: the data behind the tables of docs/access.md, and of the tests that
// grants.long.test.ts makes of them, one for each cell.

/** Ways of losing a right, in the three tables of the document. */
export const lossGroups = {
  account: {
    loggedOut: 'log-out',
    passwordChanged: 'change of the password',
    passwordReset: 'mailed password reset',
    emailChanged: 'change of the address',
    unverifiedReset: 'mailed reset, address never verified',
    closed: 'closing the account',
  },
  organization: {
    removed: 'removal by the owner',
    left: 'leaving',
    demoted: 'loss of the admin role',
    transferred: 'transfer to another owner',
    frozen: 'freeze',
  },
  other: {
    markRemoved: 'removal from the Mark',
    markLeft: 'leaving the Mark',
    handedOver: 'handing over the Mark',
    keyRevoked: 'revocation of the API key',
    keyExpired: 'expiry of the API key',
  },
} as const;

type Groups = typeof lossGroups;
export type LossId = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

/** Why a grant stays; the document numbers them by letters. */
export const reasons = {
  account: 'It rests on the account, which stays as it is.',
  role: 'It rests on a role in an organization or a Mark, not on a session, a password or an address.',
  otherRole: 'It rests on another role than the one that is lost.',
  address: 'It rests on the address, which stays verified.',
  unverified: 'There is none: received invitations are for verified addresses.',
  provider: 'Users of an OpenID provider have neither password nor address here.',
  secondFactor: 'It is there for the case that others know the password. The operator can remove it.',
  member: 'It is for every member; admin members have it no more than others.',
  formerOwner: 'The former owner stays as an admin member, who may have it. It ends when that role does.',
  owner: 'The owner keeps a frozen organization.',
  userMark: 'The Mark belongs to a user, not to the organization.',
  organizationMark: 'Members of the organization may register under each of its Marks.',
  withoutKey: 'No API key made it.',
} as const;
export type ReasonId = keyof typeof reasons;

/** `suspended`: it does not work until the organization is active again. */
export type Cell = 'ends' | 'suspended' | ReasonId;

interface Grant {
  readonly name: string;
  readonly restsOn: string;
  readonly madeBy: string;
  /** The columns of schema.sql that keep it, or whom it belongs to. */
  readonly columns: readonly string[];
  readonly cells: Readonly<Record<LossId, Cell>>;
}

const ofAccount = { loggedOut: 'role', passwordChanged: 'role', passwordReset: 'role', emailChanged: 'role' } as const;
const withAccount = { unverifiedReset: 'ends', closed: 'ends' } as const;
const ofSession = {
  loggedOut: 'ends',
  passwordChanged: 'ends',
  passwordReset: 'ends',
  emailChanged: 'account',
} as const;

/** What every loss in organizations, Marks and keys leaves for this reason. */
function elsewhere(reason: ReasonId) {
  return {
    ...({ removed: reason, left: reason, demoted: reason, transferred: reason, frozen: reason } as const),
    ...({ markRemoved: reason, markLeft: reason, handedOver: reason, keyRevoked: reason, keyExpired: reason } as const),
  };
}

/** Of a member of an organization, who is an admin member. */
const asMember = { removed: 'ends', left: 'ends', frozen: 'ends' } as const;
const asAdminMember = { ...asMember, demoted: 'ends' } as const;
const byKey = { keyRevoked: 'ends', keyExpired: 'ends' } as const;
const withoutKey = { keyRevoked: 'withoutKey', keyExpired: 'withoutKey' } as const;

export const grants = {
  session: {
    name: 'Session',
    restsOn: 'the account and its password',
    madeBy: 'the user, at log-in',
    columns: ['sessions.user_id', 'users.tokens_not_before', 'users.password_hash'],
    cells: { ...ofSession, ...withAccount, ...elsewhere('account') },
  },
  providerSession: {
    name: 'Session by a token of an OpenID provider',
    restsOn: 'the account, and the token until it expires',
    madeBy: 'the user, at its first use',
    columns: ['sessions.user_id', 'users.issuer', 'users.subject'],
    cells: {
      loggedOut: 'ends',
      passwordChanged: 'provider',
      passwordReset: 'provider',
      emailChanged: 'provider',
      unverifiedReset: 'provider',
      closed: 'ends',
      ...elsewhere('account'),
    },
  },
  secondFactor: {
    name: 'Second factor and recovery codes',
    restsOn: 'the account',
    madeBy: 'the user',
    columns: [
      'second_factors.user_id',
      'second_factors.secret',
      'second_factors.recovery_code_hashes',
      'users.has_totp',
    ],
    cells: {
      loggedOut: 'account',
      passwordChanged: 'secondFactor',
      passwordReset: 'secondFactor',
      emailChanged: 'account',
      ...withAccount,
      ...elsewhere('account'),
    },
  },
  verificationLink: {
    name: 'Link that verifies an address',
    restsOn: 'the account, and the password with which it was requested',
    madeBy: 'the user',
    columns: ['one_time_tokens.token_hash', 'one_time_tokens.user_id'],
    cells: {
      loggedOut: 'account',
      passwordChanged: 'ends',
      passwordReset: 'ends',
      emailChanged: 'ends',
      ...withAccount,
      ...elsewhere('account'),
    },
  },
  resetLink: {
    name: 'Link that resets the password',
    restsOn: 'the account, its address and its password',
    madeBy: 'who knows the address, or the operator',
    columns: ['one_time_tokens.token_hash', 'one_time_tokens.user_id', 'mails.recipient'],
    cells: {
      loggedOut: 'account',
      passwordChanged: 'ends',
      passwordReset: 'ends',
      emailChanged: 'ends',
      ...withAccount,
      ...elsewhere('account'),
    },
  },
  receivedInvitation: {
    name: 'Invitation that names the address, received',
    restsOn: 'the verified address',
    madeBy: 'another user',
    columns: ['invitations.token_hash', 'mails.recipient'],
    cells: {
      loggedOut: 'address',
      passwordChanged: 'address',
      passwordReset: 'address',
      emailChanged: 'ends',
      unverifiedReset: 'unverified',
      closed: 'ends',
      ...elsewhere('address'),
    },
  },
  ownership: {
    name: 'Ownership of an organization',
    restsOn: 'the account',
    madeBy: 'the user, or the owner before',
    columns: ['organizations.owner_id', 'organization_members.role'],
    cells: { ...ofAccount, ...withAccount, ...elsewhere('otherRole'), transferred: 'ends', frozen: 'owner' },
  },
  membership: {
    name: 'Membership of an organization',
    restsOn: "the account, and the owner's will",
    madeBy: 'the owner, and the user who accepts',
    columns: ['organization_members.user_id', 'organization_members.organization_id', 'organization_members.role'],
    cells: { ...ofAccount, ...withAccount, ...elsewhere('otherRole'), ...asMember, demoted: 'member' },
  },
  adminMember: {
    name: 'Role of an admin member',
    restsOn: 'the membership',
    madeBy: 'the owner, never an API key',
    columns: ['organization_members.is_admin'],
    cells: { ...ofAccount, ...withAccount, ...elsewhere('otherRole'), ...asAdminMember },
  },
  organizationMarkMember: {
    name: "Membership of an organization's Mark, of one of its members",
    restsOn: 'the membership of the organization',
    madeBy: 'the admin of the Mark, and the user who accepts',
    columns: ['mark_members.user_id'],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      ...asMember,
      demoted: 'member',
      markRemoved: 'ends',
      markLeft: 'ends',
    },
  },
  userMarkMember: {
    name: "Membership of a user's Mark",
    restsOn: "the account, and the will of the Mark's admin",
    madeBy: 'the admin of the Mark, and the user who accepts',
    columns: ['mark_members.user_id'],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      removed: 'userMark',
      left: 'userMark',
      frozen: 'userMark',
      markRemoved: 'ends',
      markLeft: 'ends',
    },
  },
  markAdmin: {
    name: "Admin role of an organization's Mark",
    restsOn: 'the membership of the organization',
    madeBy: 'the user who created it, or the admin or owner before; never an API key',
    columns: ['marks.admin_id'],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      ...asMember,
      demoted: 'member',
      handedOver: 'ends',
    },
  },
  markOwner: {
    name: "Ownership of a user's Mark",
    restsOn: 'the account',
    madeBy: 'the user',
    columns: ['marks.owner_id'],
    cells: { ...ofAccount, ...withAccount, ...elsewhere('otherRole'), frozen: 'userMark' },
  },
  apiKey: {
    name: 'API key',
    restsOn: 'the ownership of the organization',
    madeBy: 'the owner, never an API key',
    columns: ['api_keys.token_hash', 'api_keys.created_by', 'api_keys.organization_id'],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      transferred: 'ends',
      frozen: 'suspended',
      ...byKey,
    },
  },
  organizationInvitation: {
    name: 'Invitation to an organization, sent',
    restsOn: 'the ownership of the organization, while it is active',
    madeBy: 'the owner',
    columns: [
      'invitations.token_hash',
      'invitations.invited_by',
      'invitations.organization_id',
      'invitations.is_admin',
    ],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      transferred: 'ends',
      frozen: 'ends',
      ...withoutKey,
    },
  },
  markInvitation: {
    name: 'Invitation to a Mark, sent',
    restsOn: 'the admin role of the Mark, while its organization is active',
    madeBy: 'the admin of the Mark',
    columns: ['invitations.token_hash', 'invitations.invited_by'],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      ...asMember,
      demoted: 'member',
      handedOver: 'ends',
      ...withoutKey,
    },
  },
  keyInvitation: {
    name: 'Invitation made with an API key',
    restsOn: 'the key, and the ownership of the organization',
    madeBy: 'the key, for the owner; never one of admin members',
    columns: ['invitations.key_id'],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      transferred: 'ends',
      frozen: 'ends',
      ...byKey,
    },
  },
  adminWebhook: {
    name: 'Webhook of an organization, by an admin member',
    restsOn: 'the role of the admin member who set its URL, while the organization is active',
    madeBy: 'that admin member',
    columns: ['webhooks.created_by', 'webhooks.organization_id'],
    cells: { ...ofAccount, ...withAccount, ...elsewhere('otherRole'), ...asAdminMember, ...withoutKey },
  },
  ownerWebhook: {
    name: 'Webhook of an organization, by its owner',
    restsOn: 'the role of the owner, while the organization is active',
    madeBy: 'the owner',
    columns: ['webhooks.created_by', 'webhooks.organization_id'],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      transferred: 'formerOwner',
      frozen: 'ends',
      ...withoutKey,
    },
  },
  keyWebhook: {
    name: 'Webhook made with an API key',
    restsOn: 'the key, while the organization is active',
    madeBy: 'the key, for the owner',
    columns: ['webhooks.key_id'],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      transferred: 'ends',
      frozen: 'ends',
      ...byKey,
    },
  },
  userWebhook: {
    name: "Webhook of a user, for an organization's events",
    restsOn: 'the account; each event on the role by which it may be read',
    madeBy: 'the user',
    columns: ['webhooks.user_id'],
    cells: { ...ofAccount, ...withAccount, ...elsewhere('otherRole'), ...asAdminMember },
  },
  organizationStream: {
    name: 'Open stream of the events of an organization',
    restsOn: 'the session or key, and the role of an admin member',
    madeBy: 'the user',
    columns: [],
    cells: { ...ofSession, ...withAccount, ...elsewhere('otherRole'), ...asAdminMember },
  },
  userStream: {
    name: "Open stream of the events of a user, for an organization's",
    restsOn: 'the session; each event on the role by which it may be read',
    madeBy: 'the user',
    columns: ['events.user_id'],
    cells: { ...ofSession, ...withAccount, ...elsewhere('otherRole'), ...asAdminMember },
  },
  waitingRequest: {
    name: 'Request that waits for events of an organization',
    restsOn: 'the session or key, and the role of an admin member',
    madeBy: 'the user',
    columns: [],
    cells: { ...ofSession, ...withAccount, ...elsewhere('otherRole'), ...asAdminMember },
  },
  replay: {
    name: 'Response kept for an `Idempotency-Key`',
    restsOn: 'the right to register under the Mark',
    madeBy: 'the user, or the API keys of one organization together',
    columns: ['idempotency_keys.caller_id'],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      ...asMember,
      demoted: 'member',
      handedOver: 'organizationMark',
    },
  },
  export: {
    name: "What an organization's Marks and files are called, in the export of the account",
    restsOn: 'the right to read them',
    madeBy: 'the user',
    columns: ['artifacts.created_by', 'events.actor_id', 'mark_domains.claimed_by', 'mark_domains.ended_by'],
    cells: {
      ...ofAccount,
      ...withAccount,
      ...elsewhere('otherRole'),
      ...asMember,
      demoted: 'member',
      handedOver: 'organizationMark',
    },
  },
} as const satisfies Readonly<Record<string, Grant>>;
export type GrantId = keyof typeof grants;

/** Columns of schema.sql that name a user, an organization or a key, or look like a secret or a role, and grant nothing. */
export const columnsWithoutGrant: Readonly<Record<string, string>> = {
  'api_key_networks.key_id': 'Where a key was used from.',
  'chain_entries.registered_by': 'An account on chain, which is no account here.',
  'chain_transactions.recipient': 'A contract on chain.',
  'claims.claimant_id': 'A public statement, which its author can withdraw while the account is open.',
  'claim_entries.author_id': 'A public statement.',
  'counters.owner_id': 'What counts for the limits of a tier.',
  'daily_budgets.owner_id': 'What counts for the limits of a day.',
  'daily_budgets.subject': 'Which limit of a day it counts for.',
  'events.organization_id': 'What happened; who reads it is decided when it is read.',
  'events.key_id': 'What happened.',
  'log_openings.user_id': 'Salts of texts in the public log, which are deleted when the account is closed.',
  'mailed_addresses.user_id': 'Which addresses an account has had mail sent to, which limits it.',
  'mails.limited_by': 'Which mails limit each other.',
  'marks.organization_id': 'Marks belong to their organization for good.',
  'marks.represented_by': 'A public statement about the Mark.',
};

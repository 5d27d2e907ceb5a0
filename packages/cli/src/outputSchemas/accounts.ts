// The outputs of commands about accounts, Marks, organizations, limits and settings.

import { api, Claim, exampleIds, GalleryMark, RegistryEvent, User } from '@provenance-registry/core';
import Type from 'typebox';
import { type CommandOutput, exampleTime, Flag, NullableText, Text } from './common.js';

const Setting = Type.Object(
  {
    name: Text('As in `provenance config get NAME`.'),
    value: NullableText('Tokens are masked; null when it is not set.'),
    from: NullableText('The origin: a flag, a variable, a profile or `default`.'),
  },
  { title: 'Setting' },
);
const Profile = Type.Object(
  {
    name: Type.String(),
    isInUse: Type.Boolean(),
    url: NullableText('Base URL of the service.'),
    hasToken: Type.Boolean(),
  },
  { title: 'Profile' },
);
const Root = { subject: Type.String(), sha256: Text('Of the certificate, in hex.') };
const PinnedRegistry = Type.Object(
  {
    url: Text('Base URL of the service.'),
    name: Type.String(),
    chainId: Type.Integer(),
    contract: Type.String(),
    signerRoots: Type.Array(Type.Object(Root)),
    timestampRoots: Type.Array(
      Type.Object({ ...Root, isIndependent: Flag('Whether the authority is another party than the registry.') }),
    ),
    fingerprint: Text('The full form of the fingerprint that was compared.'),
    addedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'PinnedRegistry' },
);
const pin = {
  url: 'https://registry.example',
  name: 'Provenance registry',
  chainId: 1,
  contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  signerRoots: [{ subject: 'CN=Example root', sha256: '9f4eb1c344fe…' }],
  timestampRoots: [],
  fingerprint: '5b7c8f1e2d3a…',
  addedAt: exampleTime,
};
const user = api.getMe.success.example.user;

/** Commands that print the response of an operation. */
const apiOutputs = {
  whoami: api.getMe,
  'marks list': api.listMarks,
  'marks show': api.getMark,
  'marks create': api.createMark,
  'marks update': api.updateMark,
  'marks invite': api.createMarkInvitation,
  'marks invitations list': api.listMarkInvitations,
  'marks invitations show': api.previewInvitation,
  'marks accept': api.acceptInvitation,
  'keys list': api.listApiKeys,
  'keys create': api.createApiKey,
  'orgs list': api.listOrganizations,
  'orgs show': api.getOrganization,
  'orgs overview': api.getOrganizationOverview,
  'orgs create': api.createOrganization,
  'orgs units': api.putUsageUnits,
  'orgs members list': api.listOrganizationMembers,
  'orgs members set': api.updateOrganizationMember,
  'orgs invite': api.createOrganizationInvitation,
  'orgs invitations list': api.listOrganizationInvitations,
  'orgs invitations show': api.previewInvitation,
  'orgs accept': api.acceptInvitation,
  'orgs transfer': api.transferOrganization,
  'marks hand-over': api.putMarkAdmin,
  'marks represented-by': api.putRepresentative,
  'marks domains add': api.claimDomain,
  'marks domains list': api.listDomains,
  'claims make': api.createClaim,
  'claims answer': api.answerClaim,
  'claims withdraw': api.withdrawClaim,
  'claims concede': api.concedeClaim,
  'account sessions list': api.listSessions,
  'account totp enable': api.startTotp,
  'account totp confirm': api.confirmTotp,
  'account invitations': api.listReceivedInvitations,
  limits: api.getTierLimits,
} as const;

const ownOutputs: Readonly<Record<string, CommandOutput>> = {
  login: {
    schema: Type.Object(
      {
        profile: Type.String(),
        url: Text('Base URL of the service.'),
        user: User,
        expiresAt: NullableText('When the token expires, if known.'),
      },
      { title: 'Login' },
    ),
    example: { profile: 'default', url: 'https://registry.example', user, expiresAt: exampleTime },
  },
  logout: {
    schema: Type.Object(
      {
        profile: Type.String(),
        session: Type.Unsafe<string>({
          type: 'string',
          enum: ['ended', 'open', 'none'],
          description: '`open`: the service could not be reached. `none`: the profile had no token, or an API key.',
        }),
      },
      { title: 'Logout' },
    ),
    example: { profile: 'default', session: 'ended' },
  },
  'account show': { schema: User, example: user },
  'account name': { schema: User, example: user },
  'account email': {
    schema: Type.Object({ email: Type.String(), isPending: Flag('Until the new address is verified.') }),
    example: { email: 'ada.king@example.com', isPending: true },
  },
  'account verify-email': named({ status: 'verified' }),
  'account password': named({ status: 'changed' }),
  'account reset-password request': named({ status: 'requested' }),
  'account reset-password confirm': named({ status: 'changed' }),
  'account sessions end': {
    schema: Type.Object({ sessionId: NullableText('Null: all but the current one.') }),
    example: { sessionId: exampleIds.SESSION_ID },
  },
  'account totp disable': named({ status: 'disabled' }),
  'account export': named({ file: 'account-export.json' }),
  'account close': named({ status: 'closed' }),
  list: {
    schema: Type.Array(api.getArtifact.success.schema),
    example: [api.getArtifact.success.example],
  },
  'marks artifacts': {
    schema: Type.Array(api.getArtifact.success.schema),
    example: [api.getArtifact.success.example],
  },
  'marks gallery': { schema: Type.Array(GalleryMark), example: api.listGallery.success.example.marks },
  'marks namesakes': { schema: Type.Array(GalleryMark), example: api.listNamesakes.success.example.marks },
  'marks domains check': named({ markId: '…', domain: 'ada.example.com' }),
  'marks domains remove': named({ markId: '…', domain: 'ada.example.com' }),
  'claims list': { schema: Type.Array(Claim), example: api.listArtifactClaims.success.example.claims },
  'marks invitations withdraw': named({ invitationId: '…' }),
  'marks decline': named({ status: 'declined' }),
  'orgs invitations withdraw': named({ invitationId: '…' }),
  'orgs decline': named({ status: 'declined' }),
  'marks members remove': named({ markId: '…', userId: '…' }),
  'keys revoke': named({ keyId: '…' }),
  'orgs leave': named({ organizationId: '…' }),
  'orgs events': { schema: Type.Array(RegistryEvent), example: api.listOrganizationEvents.success.example.events },
  'marks leave': named({ markId: '…' }),
  'orgs members remove': named({ organizationId: '…', userId: '…' }),
  subscribe: { schema: User, example: user },
  'trust add': {
    schema: Type.Object({ profile: Type.String(), ...PinnedRegistry.properties }, { title: 'NewPin' }),
    example: { profile: 'default', ...pin },
  },
  'trust list': { schema: Type.Array(PinnedRegistry), example: [pin] },
  'trust remove': named({ profile: 'default', url: pin.url }),
  'config show': {
    schema: Type.Object(
      { file: Text('The configuration file.'), settings: Type.Array(Setting) },
      { title: 'Settings' },
    ),
    example: {
      file: '/home/ada/.config/provenance/config.json',
      settings: [{ name: 'url', value: 'https://registry.example', from: 'profile default' }],
    },
  },
  'config get': named({ name: 'url', value: 'https://registry.example', from: 'profile default' }),
  'config set': named({ profile: 'default', name: 'url', value: 'https://registry.example' }),
  'config unset': named({ profile: 'default', name: 'url' }),
  'config profiles': {
    schema: Type.Array(Profile),
    example: [{ name: 'default', isInUse: true, url: 'https://registry.example', hasToken: true }],
  },
  'config use': named({ profile: 'work' }),
  completion: named({ shell: 'bash', script: '…' }),
  help: named({ help: '…' }),
};

/** An object whose fields are all text. */
function named(example: Readonly<Record<string, string>>): CommandOutput {
  const fields = Object.keys(example).map((name) => [name, Type.String()] as const);
  return { schema: Type.Object(Object.fromEntries(fields)), example };
}

export const accountOutputs: Readonly<Record<string, CommandOutput>> = {
  ...Object.fromEntries(Object.entries(apiOutputs).map(([name, { success }]) => [name, success])),
  ...ownOutputs,
};

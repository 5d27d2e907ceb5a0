// The outputs of commands about accounts, Marks, organizations, limits and settings.

import {
  api,
  Claim,
  exampleIds,
  GalleryMark,
  Invitation,
  ReceivedInvitation,
  RegistryEvent,
  StringEnum,
  User,
} from '@provenance-registry/core';
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
const KnownRegistry = Type.Object(
  {
    url: Text('Base URL of the service.'),
    name: Type.String(),
    chainId: Type.Integer(),
    contract: Type.String(),
    signerRoots: Type.Array(Type.Object(Root)),
    timestampRoots: Type.Array(
      Type.Object({ ...Root, isIndependent: Flag('Whether the authority is another party than the registry.') }),
    ),
    logKeys: Type.Array(Text('A verifier key of its public log, for which its roots vouched.')),
    logContract: NullableText('The contract that anchors its log on chain, if it states one.'),
    witnesses: Type.Array(Text('The verifier key of a witness that you demand.')),
    fingerprint: Text('In its full form.'),
    addedAt: Type.String({ format: 'date-time' }),
    isCompared: Flag(
      'Whether you compared its fingerprint and pinned it. False: it was remembered at first contact, which proves nothing.',
    ),
  },
  { title: 'KnownRegistry' },
);
const DnsComparison = Type.Object(
  {
    name: NullableText('Of the TXT record; null if the host of the registry is an address.'),
    state: StringEnum(['agrees', 'differs', 'none', 'unavailable'], {
      description: '`unavailable`: DNS could not be asked.',
    }),
  },
  { title: 'DnsComparison' },
);
const pin = {
  url: 'https://registry.example',
  name: 'Provenance registry',
  chainId: 1,
  contract: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  signerRoots: [{ subject: 'CN=Example root', sha256: '9f4eb1c344fe…' }],
  timestampRoots: [],
  logKeys: ['registry.example/log+92940712+AS8hCaL4nFuwLFYf1R0m93lMwe1ctXz7Tvgx3X/lchMX'],
  logContract: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512',
  witnesses: [],
  fingerprint: '5b7c8f1e2d3a…',
  addedAt: exampleTime,
  isCompared: true,
};
const user = api.getMe.success.example.user;

/** Commands that print the response of an operation. */
const apiOutputs = {
  'account show': api.getMe,
  'mark list': api.listMarks,
  'mark show': api.getMark,
  'mark create': api.createMark,
  'mark update': api.updateMark,
  'org key list': api.listApiKeys,
  'org key create': api.createApiKey,
  'org list': api.listOrganizations,
  'org show': api.getOrganization,
  'org overview': api.getOrganizationOverview,
  'org create': api.createOrganization,
  'org units': api.putUsageUnits,
  'org member list': api.listOrganizationMembers,
  'org member set': api.updateOrganizationMember,
  'invitation create': api.createOrganizationInvitation,
  'invitation show': api.previewInvitation,
  'invitation accept': api.acceptInvitation,
  'org transfer': api.transferOrganization,
  'mark hand-over': api.putMarkAdmin,
  'mark represented-by': api.putRepresentative,
  'mark domain add': api.claimDomain,
  'mark domain list': api.listDomains,
  'claim create': api.createClaim,
  'claim answer': api.answerClaim,
  'claim withdraw': api.withdrawClaim,
  'claim concede': api.concedeClaim,
  'account session list': api.listSessions,
  'account totp enable': api.startTotp,
  'account totp confirm': api.confirmTotp,
  'account limits': api.getTierLimits,
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
  'account logout': {
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
  'account name': { schema: User, example: user },
  'account email': {
    schema: Type.Object({ email: Type.String(), isPending: Flag('Until the new address is verified.') }),
    example: { email: 'ada.king@example.com', isPending: true },
  },
  'account verify-email': named({ status: 'verified' }),
  'account password': named({ status: 'changed' }),
  'account reset-password request': named({ status: 'requested' }),
  'account reset-password confirm': named({ status: 'changed' }),
  'account session end': {
    schema: Type.Object({ sessionId: NullableText('Null: all but the current one.') }),
    example: { sessionId: exampleIds.SESSION_ID },
  },
  'account totp disable': named({ status: 'disabled' }),
  'account export': named({ file: 'account-export.json' }),
  'account close': named({ status: 'closed' }),
  'file list': {
    schema: Type.Array(api.getArtifact.success.schema),
    example: [api.getArtifact.success.example],
  },
  'mark artifacts': {
    schema: Type.Array(api.getArtifact.success.schema),
    example: [api.getArtifact.success.example],
  },
  'mark gallery': { schema: Type.Array(GalleryMark), example: api.listGallery.success.example.marks },
  'mark namesakes': { schema: Type.Array(GalleryMark), example: api.listNamesakes.success.example.marks },
  'mark domain check': named({ markId: '…', domain: 'ada.example.com' }),
  'mark domain remove': named({ markId: '…', domain: 'ada.example.com' }),
  'claim list': { schema: Type.Array(Claim), example: api.listArtifactClaims.success.example.claims },
  'invitation list': {
    schema: Type.Union([Type.Array(ReceivedInvitation), Type.Array(Invitation)], {
      description: 'Invitations to you; with TARGET, those to the organization or Mark.',
    }),
    example: api.listReceivedInvitations.success.example,
  },
  'invitation withdraw': named({ invitationId: '…' }),
  'invitation decline': named({ status: 'declined' }),
  'mark member remove': named({ markId: '…', userId: '…' }),
  'org key revoke': named({ keyId: '…' }),
  'org leave': named({ organizationId: '…' }),
  'org events': { schema: Type.Array(RegistryEvent), example: api.listOrganizationEvents.success.example.events },
  'mark leave': named({ markId: '…' }),
  'org member remove': named({ organizationId: '…', userId: '…' }),
  'account subscribe': { schema: User, example: user },
  'config trust add': {
    schema: Type.Object(
      { profile: Type.String(), ...KnownRegistry.properties, dns: DnsComparison },
      { title: 'NewPin' },
    ),
    example: { profile: 'default', ...pin, dns: { name: '_provenance.registry.example', state: 'agrees' } },
  },
  'config trust list': { schema: Type.Array(KnownRegistry), example: [pin] },
  'log witness': {
    schema: Type.Object(
      {
        verifierKey: Text('Of the witness.'),
        url: Text('Where it listens.'),
        logs: Type.Array(Text('The name of a log that it signs for.')),
        policyLine: Text('For policy files: the address is the one at which it listens.'),
      },
      { title: 'Witness', description: 'Printed when it listens.' },
    ),
    example: {
      verifierKey: 'witness.example/w1+b7ca19fe+BCk0ypSnkfID73RCwbtw1vTZbpRfImqHwhNn+5t4pM5j',
      url: 'http://127.0.0.1:8650',
      logs: ['registry.example/log'],
      policyLine:
        'witness witness.example/w1 witness.example/w1+b7ca19fe+BCk0ypSnkfID73RCwbtw1vTZbpRfImqHwhNn+5t4pM5j http://127.0.0.1:8650',
    },
  },
  'log mirror': {
    schema: Type.Object(
      {
        folder: Text('Of the copy.'),
        source: Text('Where it was copied from.'),
        url: NullableText('Where the copy is served.'),
        origin: NullableText('The name of the log; null before its first checkpoint.'),
        size: Type.Integer({ description: 'Leaves in the copy.' }),
        root: NullableText('Of these leaves: SHA-256 in base64, as in the checkpoint.'),
        witnesses: Type.Array(Text('The name of a witness that was demanded and has signed.')),
        manifests: Type.Union(
          [
            Type.Object({
              present: Type.Integer({ description: 'Registrations whose manifest is in the copy.' }),
              missing: Type.Integer({ description: 'Those whose manifest the source does not have, or not yet.' }),
            }),
            Type.Null(),
          ],
          { description: 'Null: only the log is copied.' },
        ),
        fingerprint: NullableText('Of the registry.'),
      },
      { title: 'LogCopy', description: 'Printed when everything is copied for the first time.' },
    ),
    example: {
      folder: 'copy',
      source: 'https://registry.example',
      url: null,
      origin: 'registry.example/log',
      size: 70_000,
      root: '3XtaeKcO85ATBOrcaxDdK9PrQEaDZv+B1dacTllJrwE=',
      witnesses: [],
      manifests: { present: 69_998, missing: 0 },
      fingerprint: 'eb858eb4056603673483db2d1c9a4f3e7b60d2c8a5914e6f0b7d3c2a1908f7e6',
    },
  },
  'config trust remove': named({ profile: 'default', url: pin.url }),
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

// The output of `verify`.

import { Artifact, ClaimSummary, GalleryMark, StringEnum } from '@provenance-registry/core';
import Type, { type Static, type TProperties } from 'typebox';
import {
  type CommandOutput,
  type DeepReadonly,
  exampleFingerprint,
  FileFailure,
  Fingerprint,
  Flag,
  NullableText,
  Text,
} from './common.js';
import { SimilarFiles } from './lookalikes.js';

const sources = ['chain', 'manifest'] as const;
const Names = <const T extends readonly string[]>(names: T, description: string) => StringEnum(names, { description });
const Optional = Type.Optional;

const Fact = Type.Object(
  {
    name: Names(
      [
        'signedCopyOf',
        'mark',
        'markId',
        'currentMarkName',
        'author',
        'authorId',
        'license',
        'allowAiTraining',
        'data_mining',
        'ai_inference',
        'ai_training',
        'ai_generative_training',
        'since',
        'filename',
        'previousFingerprint',
        'fileSeen',
        'authorshipStated',
        'registrar',
      ],
      '`currentMarkName` is there only when the Mark was renamed since the registration. `signedCopyOf` is the ' +
        'registered file, if this one is a copy that the registry signed. `fileSeen` is false when the service received ' +
        'the fingerprint alone. `authorshipStated`: whether the registrant stated to have made the file or to speak for ' +
        'its maker, which the service does not check. `data_mining` to `ai_generative_training`: `allowed`, `notAllowed`, ' +
        'or `constrained: ` and the conditions; left out if not specified.',
    ),
    value: Type.Unsafe<string | boolean | null>({
      type: ['string', 'boolean', 'null'],
      description: 'Null: not specified.',
    }),
    evidence: Type.Array(Names(['chain', 'manifest', 'service'], 'What carries the fact.'), {
      description: 'Strongest first. Only `service`: the word of the service, or of the creator of a bundle.',
    }),
  },
  { title: 'Fact' },
);

const Time = Type.Object(
  {
    source: Names(['block', 'timestamp', 'service'], 'A block, a time-stamp (RFC 3161), or the word of the service.'),
    at: Type.String({ format: 'date-time' }),
    isIndependent: Flag('Whether the source is independent of the service.'),
  },
  { title: 'TimeEvidence' },
);

const Problem = Type.Object(
  {
    source: Names(['registry', 'chain', 'manifest'], 'The source that cannot be right.'),
    code: Text('For programs, such as `METADATA_MISMATCH`.'),
    reason: Text('For people.'),
  },
  { title: 'Problem' },
);

const Notice = Type.Object(
  { code: Text('For programs, such as `TIMES_DIFFER`.'), text: Text('For people.') },
  { title: 'Notice', description: 'Something to know that contradicts nothing.' },
);

function CheckOf<T extends TProperties>(title: string, details: T) {
  return Type.Object(
    {
      state: Names(['confirmed', 'contradicted', 'absent', 'unavailable'], 'What the source says.'),
      proves: Text('What this proves and what it does not prove.'),
      code: Optional(Text('For programs: why it is `contradicted` or `unavailable`.')),
      reason: Optional(Text('The same for people.')),
      details: Type.Object(details, {
        description: 'As stated by the source. In `registry`, the word of the service.',
      }),
    },
    { title },
  );
}

const { createdAt, artifactCount, namesakeCount, representedBy } = GalleryMark.properties;

const Identity = Type.Object(
  {
    issuer: Text('The DID of the service.'),
    domains: Type.Array(
      Type.Object({ domain: Type.String(), verifiedAt: Text('The first time that it was confirmed (ISO 8601).') }),
    ),
  },
  { title: 'ManifestIdentity', description: 'Domains that the service had verified, in a credential that it signed.' },
);

const entrySource = Optional(Names(['curated', 'public'], 'The registry of the entry.'));
const origins = ['caller', 'service', 'bundle'] as const;

const checks = Type.Object({
  registry: CheckOf('RegistryCheck', {
    service: Optional(Text('Its URL.')),
    manifestId: Optional(Type.String()),
    source: entrySource,
    registeredBy: Optional(Type.String()),
    refusal: Optional(Text('Why the service did not accept the credential.')),
    status: Optional(Type.String()),
    transactionHash: Optional(NullableText('Of the registration.')),
    signedCopyOf: Optional(Fingerprint),
    signedCopies: Optional(Type.Array(Fingerprint, { description: 'Those of this file.' })),
    mark: Optional(
      Type.Object(
        { createdAt, artifactCount, namesakeCount, representedBy },
        { description: 'What tells the Mark from others with a similar name. Absent if it is hidden.' },
      ),
    ),
    verifiedDomains: Optional(Artifact.properties.verifiedDomains),
    domainsAtRegistration: Optional(Artifact.properties.domainsAtRegistration),
    claims: Optional(ClaimSummary),
  }),
  chain: CheckOf('ChainCheck', {
    from: Optional(Names(origins, 'Where the node or the proof comes from.')),
    chainId: Optional(Type.Integer()),
    address: Optional(Text('Of the contract.')),
    addressFrom: Optional(Names(origins, 'Where the address comes from.')),
    source: entrySource,
    endpoints: Optional(Type.Array(Type.String())),
    manifestId: Optional(Type.String()),
    manifestHash: Optional(Type.String()),
    registeredBy: Optional(Type.String()),
    transactionHash: Optional(Type.String()),
    blockNumber: Optional(Type.Integer()),
    blockHash: Optional(Text('Compare it with any explorer of the chain.')),
    blockTime: Optional(Type.String({ format: 'date-time' })),
  }),
  manifest: CheckOf('ManifestCheck', {
    manifestId: Optional(Type.String()),
    from: Optional(Text('The service, endpoint, file or bundle that it was read from.')),
    signedBy: Optional(Type.String()),
    signedAt: Optional(Type.String()),
    trustedBy: Optional(Names(['caller', 'service'], 'Who named the root of the signer.')),
    isTimestamped: Optional(Flag('Whether a trusted time-stamp authority confirms `signedAt`.')),
    identity: Optional(Identity),
  }),
});

const Signer = Type.Object({ name: Optional(Type.String()), issuer: Optional(Type.String()) }, { title: 'Signer' });
const Action = Type.Object(
  {
    action: Text('As C2PA names it, such as `c2pa.created`.'),
    when: Optional(Type.String()),
    softwareAgent: Optional(Type.String()),
    digitalSourceType: Optional(Type.String()),
    description: Optional(Type.String()),
  },
  { title: 'ManifestAction' },
);
const Step = Type.Object(
  {
    title: Optional(Type.String()),
    relationship: Optional(Text('How the next step used this one. Absent for the file itself.')),
    signer: Optional(Signer),
    signedAt: Optional(Type.String()),
    generator: Optional(Type.String()),
    actions: Type.Array(Action),
    omittedActions: Optional(Type.Integer({ description: 'Actions that were left out of a long list.' })),
    failures: Type.Array(Type.String(), { description: "C2PA's codes of failed validations." }),
  },
  { title: 'ManifestStep' },
);
const trustedBy = Optional(Names(['caller', 'service'], 'Who named the root. Absent: the name proves nothing.'));
const EmbeddedManifest = Type.Object(
  {
    state: Names(['intact', 'invalid', 'unreadable'], 'Whether it fits the bytes of the file.'),
    reason: Optional(Text('Why it is `unreadable`.')),
    failures: Type.Array(Type.String(), { description: "C2PA's codes of failed validations." }),
    signer: Optional(Signer),
    trustedBy,
    timestamp: Optional(Type.Object({ at: Type.String(), trustedBy })),
    generator: Optional(Type.String()),
    title: Optional(Type.String()),
    history: Type.Array(Step, { description: 'Oldest first; the last step is the file itself.' }),
    omittedSteps: Type.Integer({ description: 'Steps that were left out of a long history.' }),
    permissions: Type.Record(Type.String(), Names(['allowed', 'notAllowed', 'constrained'], 'What the signer says.')),
    identity: Optional(Identity),
    softBinding: Optional(Type.Object({ algorithm: Type.String(), fingerprint: Optional(Fingerprint) })),
    signedCopyOf: Optional(Fingerprint),
  },
  { title: 'EmbeddedManifest', description: 'The C2PA manifest inside the file, of any signer.' },
);

export const LookupQuestion = Type.Object(
  {
    kind: Names(['prefix', 'fingerprint'], 'What the service was sent: first digits, or the fingerprint.'),
    isFileNamed: Flag('Whether the service learned which file was checked.'),
    prefix: Optional(Text('The digits that were sent, without `0x`.')),
  },
  { title: 'LookupQuestion', description: 'Absent when the service was not asked, or did not answer.' },
);

export const VerifiedFile = Type.Object(
  {
    file: Text('As named on the command line, or found in a folder.'),
    fingerprint: Fingerprint,
    verdict: Names(
      ['verified', 'consistent', 'contested', 'superseded', 'contradicted', 'unknown', 'incomplete'],
      'As the exit codes 0, 4, 4, 4, 1, 1 and 3. `contested` and `superseded` rest on the word of the service; ' +
        '`independentSources` tells whether the registration itself is confirmed independently.',
    ),
    independentSources: Type.Array(Names(sources, 'A source that you obtained elsewhere than from the service.')),
    facts: Type.Array(Fact),
    times: Type.Array(Time),
    problems: Type.Array(Problem, { description: 'All contradictions.' }),
    notices: Type.Array(Notice),
    lookup: Optional(LookupQuestion),
    checks,
    embedded: Optional(EmbeddedManifest),
    signedCopyOf: Optional(Fingerprint),
    isAboutOriginal: Optional(
      Type.Literal(true, { description: 'All but the manifest inside is about `signedCopyOf`.' }),
    ),
    similar: Optional(SimilarFiles),
    alarm: Optional(Text('The registry is not the one that you pinned: nothing it says is shown as a fact.')),
  },
  { title: 'VerifiedFile' },
);
export type VerifiedFile = DeepReadonly<Static<typeof VerifiedFile>>;

const manifestId = '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10';
const blockTime = '2026-06-01T12:00:05.000Z';
const example: VerifiedFile = {
  file: 'photo.jpg',
  fingerprint: exampleFingerprint,
  verdict: 'verified',
  independentSources: ['chain'],
  facts: [
    { name: 'mark', value: 'Ada Lovelace', evidence: ['chain', 'manifest'] },
    { name: 'allowAiTraining', value: false, evidence: ['chain', 'manifest'] },
    { name: 'since', value: blockTime, evidence: ['chain'] },
  ],
  times: [{ source: 'block', at: blockTime, isIndependent: true }],
  problems: [],
  notices: [],
  lookup: { kind: 'prefix', isFileNamed: true, prefix: exampleFingerprint.slice(2, 6) },
  checks: {
    registry: { state: 'confirmed', proves: '…', details: { service: 'https://registry.example', manifestId } },
    chain: {
      state: 'confirmed',
      proves: '…',
      details: { from: 'caller', chainId: 1, manifestId, blockNumber: 21_000_000, blockTime },
    },
    manifest: { state: 'unavailable', proves: '…', code: 'SOURCE_UNAVAILABLE', reason: '…', details: {} },
  },
};

export const verifyOutput: CommandOutput = {
  schema: Type.Array(Type.Union([VerifiedFile, FileFailure])),
  example: [example],
};

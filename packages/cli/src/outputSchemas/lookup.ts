// The output of `lookup`: the SDK's result.

import { Artifact, api, LookupResult } from '@provenance-registry/core';
import Type from 'typebox';
import { type CommandOutput, Fingerprint } from './common.js';
import { Disclosure } from './sdk.generated.js';

export const Lookup = Type.Object(
  { ...LookupResult.properties, signedCopyOf: Type.Optional(Fingerprint), disclosure: Disclosure },
  { title: 'Lookup' },
);

const { status, transactionHash, createdAt } = Artifact.properties;
const DetailedLookup = Type.Object(
  {
    ...Lookup.properties,
    artifact: Type.Optional(Artifact),
    registration: Type.Optional(
      Type.Object({ status, transactionHash, createdAt }, { description: 'Of this very file.' }),
    ),
  },
  { title: 'DetailedLookup', description: '`artifact` and `registration`: with `--direct`, of an Artifact.' },
);

const [example] = api.lookUpFingerprints.success.example.results;

export const lookupOutput: CommandOutput = {
  schema: DetailedLookup,
  example: { ...example, disclosure: { lookupBy: 'fingerprint', fingerprintDisclosed: true } },
};

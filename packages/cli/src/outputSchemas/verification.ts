// The output of `verify`: the result of the SDK, with the name of the file.

import Type from 'typebox';
import type { FileResult } from '../verify/verifier.js';
import { type CommandOutput, exampleFingerprint, FileFailure, Text } from './common.js';
import { SimilarFiles } from './lookalikes.js';
import { Verification } from './sdk.generated.js';

export const VerifiedFile = Type.Object(
  {
    file: Text('As named on the command line, or found in a folder.'),
    ...Verification.properties,
    similar: Type.Optional(SimilarFiles),
    alarm: Type.Optional(Text('The registry is not the one that you pinned: nothing it says is shown as a fact.')),
  },
  { title: 'VerifiedFile' },
);
export type VerifiedFile = FileResult & { readonly file: string };

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
  disclosure: { lookupBy: 'prefix', fingerprintDisclosed: true, prefix: exampleFingerprint.slice(2, 6) },
  checks: {
    registry: { state: 'confirmed', proves: '…', details: { service: 'https://registry.example', manifestId } },
    chain: {
      state: 'confirmed',
      proves: '…',
      details: { from: 'caller', chainId: 1, manifestId, blockNumber: 21_000_000, blockTime },
    },
    manifest: { state: 'unavailable', proves: '…', code: 'SOURCE_UNAVAILABLE', reason: '…', details: {} },
    log: {
      state: 'agrees',
      proves: '…',
      details: { origin: 'registry.example/log', index: 5, size: 7, keyFrom: 'service' },
    },
  },
};

export const verifyOutput: CommandOutput = {
  schema: Type.Array(Type.Union([VerifiedFile, FileFailure])),
  example: [example],
};

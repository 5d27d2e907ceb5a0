// The table of cases in verdictCases.json: SDK and command come to the same verdict, for the same reason, with the exit code
// that docs/trust.md states. `verdictCases.long.test.ts` runs them in page and extension, and `pythonClient.long.test.ts`
// those of bundles with the Python client.

import Type from 'typebox';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { Machine } from '../packages/cli/test/support/machine.js';
import { type Bundle, type Verification, verify, verifyBundle } from '../packages/client/src/index.js';
import { verdictCases } from './support/verdictCases.js';
import {
  findBundle,
  findSubject,
  isDated,
  type NamedOptions,
  type Subject,
  toOptions,
} from './support/verdictSubjects.js';

function runSdk(subject: Subject, bundle: Bundle | undefined, options: NamedOptions): Promise<Verification> {
  const { fingerprint, bytes: content, client } = subject;
  return bundle
    ? verifyBundle(bundle, { fingerprint, ...options })
    : verify({ fingerprint, content }, { client, ...options });
}

async function runCommand({ bytes, client }: Subject, bundle: Bundle | undefined, options: NamedOptions) {
  const machine = await Machine.create({ PROVENANCE_URL: client.baseUrl });
  await machine.file('photo', bytes);
  const option = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  const roots = options.trustAnchorsPem && (await machine.file('roots.pem', options.trustAnchorsPem));
  const path = bundle && (await machine.file('bundle.json', JSON.stringify(bundle)));
  const named = [
    ...(options.chain.rpcUrl ?? []).flatMap((url) => ['--rpc-url', url]),
    ...option('--contract', options.chain.address),
    ...option('--trust-anchors', roots),
    ...option('--block-hash', options.blockHash),
    ...option('--log-key', options.logKeys?.[0]),
    ...option('--bundle', path),
    ...option('--require', options.require?.join(',')),
    ...option('--expect-mark', options.expect?.mark),
  ];
  const { code, result } = await machine.json(['verify', 'photo', ...named]);
  const [{ verdict, reason }] = Value.Parse(
    Type.Tuple([Type.Object({ verdict: Type.String(), reason: Type.Optional(Type.Object({ code: Type.String() })) })]),
    result,
  );
  return { verdict, reason: reason?.code, exitCode: code };
}

test.each(verdictCases)('the verdict is the same everywhere when $when', async (one) => {
  const [subject, bundle, options] = [findSubject(one), findBundle(one), await toOptions(one)];
  const { verdict, reason, facts } = await runSdk(subject, bundle, options);
  expect([verdict, reason?.code]).toEqual([one.verdict, one.reason]);
  if (verdict === 'verified') {
    const since = facts.find(({ name }) => name === 'since');
    expect(since?.evidence).toEqual([isDated(one) ? 'chain' : 'service']);
  }
  expect(await runCommand(subject, bundle, options)).toEqual({
    verdict: one.verdict,
    reason: one.reason,
    exitCode: one.exitCode,
  });
});

// The table of cases in verdictCases.json: SDK and command come to the same verdict, for the same reason, with the exit code
// that docs/trust.md states. `pythonClient.long.test.ts` runs those of bundles with the Python client.

import { readFile } from 'node:fs/promises';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { Machine } from '../packages/cli/test/support/machine.js';
import {
  type Bundle,
  createClient,
  makeBundle,
  type RegistryClient,
  type Verification,
  verify,
  verifyBundle,
  waitForStatus,
} from '../packages/client/src/index.js';
import { respondJson, startScriptedServer } from '../packages/client/test/support/scriptedServer.js';
import { startVerifiedService } from '../packages/client/test/support/verifiedService.js';
import { makeRegistryCertificates } from './support/certificates.js';
import { newFile, toTestFile } from './support/files.js';
import { newImage } from './support/signedImages.js';
import { startTamperingProxy } from './support/tamperingProxy.js';

const Case = Type.Object({
  when: Type.String(),
  subject: Type.Optional(Type.String()),
  bundle: Type.Optional(Type.String()),
  named: Type.Array(Type.String()),
  require: Type.Optional(Type.Array(Type.Union([Type.Literal('chain'), Type.Literal('manifest')]))),
  expect: Type.Optional(Type.String()),
  verdict: Type.String(),
  reason: Type.Optional(Type.String()),
  exitCode: Type.Number(),
});
type Case = Static<typeof Case>;
const file = await readFile(new URL('support/verdictCases.json', import.meta.url), 'utf8');
const cases = Value.Parse(Type.Array(Case), JSON.parse(file));

const { service, stranger, ada, rpcUrl, address, trustAnchorsPem, registerFile } = await startVerifiedService();
const otherRootsPem = await readFile((await makeRegistryCertificates())('root.pem'), 'utf8');
const otherDigit = (text: string) => `${text.slice(0, -1)}${text.endsWith('1') ? '2' : '1'}`;

interface Subject {
  readonly fingerprint: `0x${string}`;
  readonly bytes: Uint8Array;
  readonly client?: RegistryClient;
}

const photo = await registerFile();
const subjects: Readonly<Record<string, Subject>> = {
  registered: photo,
  unregistered: newFile(),
  private: await registerPrivately(),
  hidden: await hideContent(),
  contested: { ...photo, client: await contest() },
  ...(await signCopy()),
};

async function registerPrivately(): Promise<Subject> {
  const { id: markId } = await ada.client.createMark({ name: 'Secret', visibility: 'private' });
  const plan = newFile();
  await ada.client.createArtifact({ markId, fingerprint: plan.fingerprint, filename: 'plan.txt' });
  await waitForStatus(ada.client, plan.fingerprint);
  return plan;
}

async function hideContent(): Promise<Subject> {
  const hidden = await registerFile();
  await ada.client.setContentVisibility({ fingerprint: hidden.fingerprint, contentVisibility: 'private' });
  return hidden;
}

async function contest(): Promise<RegistryClient> {
  const claims = { contested: true, open: 1, checked: 1, supersededBy: null };
  const json = { '/api/v1/public/artifacts': (honest: object) => ({ ...honest, claims }) };
  return createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
}

async function signCopy(): Promise<{ copy: Subject; card: Subject }> {
  const image = new File([await newImage('image/png')], 'sunrise.png', { type: 'image/png' });
  const { image: signed, manifestUrl } = await ada.client.signImage({ markId: ada.markId, file: image });
  const copy = toTestFile(Buffer.from(signed ?? []));
  await waitForStatus(ada.client, copy.fingerprint);
  const card = await fetch(manifestUrl?.replace(/\.json$/, '.png') ?? '');
  return { copy, card: toTestFile(Buffer.from(await card.arrayBuffer())) };
}

const whole = await makeBundle(photo.fingerprint, { client: stranger });
const { chain: proven } = whole;
if (!proven) throw new Error('the bundle has no proof');
const { metadata: _, ...withoutMetadata } = whole;
const { chain: __, ...withoutProof } = whole;
/** The last byte of the header is in one of its last fields, which nothing else in the proof shows. */
const header = otherDigit(proven.proof.header) as `0x${string}`;
const bundles: Readonly<Record<string, Bundle>> = {
  whole,
  flipped: { ...whole, chain: { ...proven, proof: { ...proven.proof, header } } },
  'without proof': withoutProof,
  'without metadata': withoutMetadata,
  'of another file': await makeBundle((await registerFile()).fingerprint, { client: stranger }),
};
const { blockHash = '' } = (await verifyBundle(whole)).checks.chain.details;

async function findNode(fault: string): Promise<string> {
  if (fault === 'down') return 'http://127.0.0.1:1';
  return (await startScriptedServer(respondJson(Number(fault), {}))).url;
}

/** What the caller names, in the form of the SDK. */
async function toOptions({ named, require, expect: mark }: Case) {
  const marks: Readonly<Record<string, string>> = {
    id: ada.markId,
    name: 'Ada Lovelace Photography',
    'other id': otherDigit(ada.markId),
    'other name': 'Ada Lovelace Photographs',
  };
  const nodes = named.flatMap((name) => /^node(?:: (.*))?$/.exec(name) ?? []).filter((_name, index) => index % 2 === 0);
  const rpcUrls = await Promise.all(nodes.map((name) => (name === 'node' ? rpcUrl : findNode(name.slice(6)))));
  const choose = (name: string, own: string) =>
    named.includes(name) ? own : named.includes(`other ${name}`) ? otherDigit(own) : undefined;
  return {
    chain: { rpcUrl: rpcUrls.length > 0 ? rpcUrls : undefined, address: choose('contract', address) },
    trustAnchorsPem: named.includes('other roots')
      ? otherRootsPem
      : named.includes('roots')
        ? trustAnchorsPem
        : undefined,
    blockHash: choose('block', blockHash),
    require,
    expect: mark === undefined ? undefined : { mark: marks[mark] ?? mark },
  };
}

type Options = Awaited<ReturnType<typeof toOptions>>;

function runSdk(subject: Subject, bundle: Bundle | undefined, options: Options): Promise<Verification> {
  const { fingerprint, bytes: content, client = stranger } = subject;
  return bundle
    ? verifyBundle(bundle, { fingerprint, ...options })
    : verify({ fingerprint, content }, { client, ...options });
}

async function runCommand({ bytes, client = stranger }: Subject, bundle: Bundle | undefined, options: Options) {
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

test.each(cases)('the verdict is the same everywhere when $when', async (one) => {
  const subject = subjects[one.subject ?? 'registered'];
  const bundle = one.bundle === undefined ? undefined : bundles[one.bundle];
  if (!subject || (one.bundle !== undefined && !bundle)) throw new Error('there is no such subject');
  const options = await toOptions(one);
  const { verdict, reason, facts } = await runSdk(subject, bundle, options);
  expect([verdict, reason?.code]).toEqual([one.verdict, one.reason]);
  if (verdict === 'verified') {
    // A date of a source that was not named is no date.
    const since = facts.find(({ name }) => name === 'since');
    const isDated = ['node', 'block'].some((name) => one.named.includes(name)) && one.named.includes('contract');
    expect(since?.evidence).toEqual([isDated ? 'chain' : 'service']);
  }
  expect(await runCommand(subject, bundle, options)).toEqual({
    verdict: one.verdict,
    reason: one.reason,
    exitCode: one.exitCode,
  });
});

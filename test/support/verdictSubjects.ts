// The files, bundles and sources that the words in the table of cases stand for, with a service of their own.

import { readFile } from 'node:fs/promises';
import {
  type Bundle,
  createClient,
  makeBundle,
  type RegistryClient,
  waitForStatus,
} from '../../packages/client/src/index.js';
import {
  type Responder,
  respondJson,
  respondWith,
  startScriptedServer,
} from '../../packages/client/test/support/scriptedServer.js';
import { RECEIPT_WAIT_SECONDS, startVerifiedService } from '../../packages/client/test/support/verifiedService.js';
import { startNodeRelay } from '../../packages/web/test/support/nodeRelay.js';
import { backDate, flipBlock, omit, readBlockHash } from './bundleVerifiers.js';
import { makeRegistryCertificates } from './certificates.js';
import { newFile, toTestFile } from './files.js';
import { newImage } from './signedImages.js';
import { startTamperingProxy } from './tamperingProxy.js';
import { makeLoggedBundles } from './testLog.js';
import type { VerdictCase } from './verdictCases.js';

const { service, stranger, ada, rpcUrl, address, trustAnchorsPem, registerFile } = await startVerifiedService();
const nodeUrl = await startNodeRelay(rpcUrl);
const otherRootsPem = await readFile((await makeRegistryCertificates())('root.pem'), 'utf8');
const otherDigit = (text: string) => `${text.slice(0, -1)}${text.endsWith('1') ? '2' : '1'}`;

export interface Subject {
  readonly fingerprint: `0x${string}`;
  readonly bytes: Uint8Array;
  readonly client: RegistryClient;
}

type SubjectFile = Omit<Subject, 'client'>;

const photo = await registerFile();
const files: Readonly<Record<string, SubjectFile>> = {
  registered: photo,
  unregistered: newFile(),
  private: await registerUnder({ name: 'Secret', visibility: 'private' }),
  hidden: await hideContent(),
  unspecified: await registerUnder({ name: 'Ada Lovelace Sketches' }),
  contested: photo,
  ...(await signCopy()),
};
const contestingClient = await contest();

export function findSubject({ subject = 'registered' }: Pick<VerdictCase, 'subject'>): Subject {
  const found = files[subject];
  if (!found) throw new Error(`there is no file that is ${subject}`);
  return { ...found, client: subject === 'contested' ? contestingClient : stranger };
}

/** A Mark that specifies no license and no AI preference. */
async function registerUnder(mark: { readonly name: string; readonly visibility?: 'private' }): Promise<SubjectFile> {
  const { id: markId } = await ada.client.createMark(mark);
  const plan = newFile();
  await ada.client.createArtifact({ markId, fingerprint: plan.fingerprint, filename: 'plan.txt' });
  await settle(plan.fingerprint);
  return plan;
}

/** Every source has it: a source that comes later would change what is compared. */
async function settle(fingerprint: SubjectFile['fingerprint']): Promise<void> {
  await waitForStatus(ada.client, fingerprint);
  await ada.client.getReceipt({ fingerprint, wait: RECEIPT_WAIT_SECONDS });
}

async function hideContent(): Promise<SubjectFile> {
  const hidden = await registerFile();
  await ada.client.setContentVisibility({ fingerprint: hidden.fingerprint, contentVisibility: 'private' });
  return hidden;
}

async function contest(): Promise<RegistryClient> {
  const claims = { contested: true, open: 1, checked: 1, supersededBy: null };
  const json = { '/api/v1/public/artifacts': (honest: object) => ({ ...honest, claims }) };
  return createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
}

async function signCopy(): Promise<{ copy: SubjectFile; card: SubjectFile }> {
  const image = new File([await newImage('image/png')], 'sunrise.png', { type: 'image/png' });
  const { image: signed, manifestUrl } = await ada.client.signImage({ markId: ada.markId, file: image });
  const copy = toTestFile(Buffer.from(signed ?? []));
  await settle(copy.fingerprint);
  const card = await fetch(manifestUrl?.replace(/\.json$/, '.png') ?? '');
  return { copy, card: toTestFile(Buffer.from(await card.arrayBuffer())) };
}

const whole = await makeBundle(photo.fingerprint, { client: stranger });
const others = await makeBundle((await registerFile()).fingerprint, { client: stranger });
const logged = await makeLoggedBundles(whole, others);
const bundles: Readonly<Record<string, Bundle>> = {
  whole,
  ...logged.bundles,
  flipped: flipBlock(whole),
  'back-dated': backDate(whole),
  'without proof': omit(whole, 'chain'),
  'without metadata': omit(whole, 'metadata'),
  'of another file': others,
};
const blockHash = await readBlockHash(whole);

/** Undefined for a case without a bundle. */
export function findBundle({ bundle }: VerdictCase): Bundle | undefined {
  if (bundle === undefined) return undefined;
  const found = bundles[bundle];
  if (!found) throw new Error(`there is no bundle that is ${bundle}`);
  return found;
}

const faultyNodes = new Map<string, Promise<string>>();

/** Pages may read all of them. */
function findNode(name: string): Promise<string> | string {
  if (name === 'node') return nodeUrl;
  const found = faultyNodes.get(name) ?? startFaultyNode(name.slice('node: '.length));
  faultyNodes.set(name, found);
  return found;
}

async function startFaultyNode(fault: string): Promise<string> {
  if (fault === 'down') return 'http://127.0.0.1:1';
  const open = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'content-type' };
  const respond: Responder = (request, response) =>
    (request.method === 'OPTIONS' ? respondWith(204, open) : respondJson(Number(fault), {}, open))(request, response);
  return (await startScriptedServer(respond)).url;
}

/** What the caller names, in the form of the SDK. */
export async function toOptions({ named, require, expect: mark }: VerdictCase) {
  const marks: Readonly<Record<string, string>> = {
    id: ada.markId,
    name: 'Ada Lovelace Photography',
    'other id': otherDigit(ada.markId),
    'other name': 'Ada Lovelace Photographs',
  };
  const rpcUrls = await Promise.all(named.filter((name) => /^node(: |$)/.test(name)).map(findNode));
  const choose = (name: string, own: string, other = otherDigit(own)) =>
    named.includes(name) ? own : named.includes(`other ${name}`) ? other : undefined;
  return {
    chain: { rpcUrl: rpcUrls.length > 0 ? rpcUrls : undefined, address: choose('contract', address) },
    trustAnchorsPem: choose('roots', trustAnchorsPem, otherRootsPem),
    blockHash: choose('block', blockHash),
    logKeys: listDefined(choose('log key', logged.key, logged.otherKey)),
    require,
    expect: mark === undefined ? undefined : { mark: marks[mark] ?? mark },
  };
}

function listDefined(text: string | undefined): string[] | undefined {
  return text === undefined ? undefined : [text];
}

export type NamedOptions = Awaited<ReturnType<typeof toOptions>>;

/** Whether a source was named that proves the time of the entry: a date of any other is no date. */
export function isDated({ named }: VerdictCase): boolean {
  return ['node', 'block'].some((name) => named.includes(name)) && named.includes('contract');
}

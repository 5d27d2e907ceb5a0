// The monitor against a log whose operator deceives, each time in another way; and against an honest registry.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fingerprint } from '@provenance-registry/core';
import { createWalletClient, custom, numberToHex, publicActions, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { hardhat } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newFingerprint } from '../../../test/support/artifacts.js';
import { freePort } from '../../../test/support/ports.js';
import { randomUUID } from '../../../test/support/random.js';
import { createRegistrant, type Registrant } from '../../../test/support/registrants.js';
import { newDataFolder, type Service, startService } from '../../../test/support/service.js';
import { newPrivateKey } from '../../../test/support/wallets.js';
import { makeLogKey } from '../../../test/support/witnessedService.js';
import { waitForStatus } from '../../client/src/index.js';
import { registryLogAbi, registryLogBytecode } from '../../contract/src/index.js';
import { createEvm, serveJsonRpc } from '../../dev-chain/src/index.js';
import { encodeLeaf, type Leaf, type LeafContent, type NoteSigner, parseLeaf } from '../../log/src/index.js';
import { createSigner } from '../../log/test/support/signers.js';
import { type MonitorOptions, type MonitorResult, runMonitor } from '../src/log/monitor/monitor.js';
import { openLogSource } from '../src/log/source.js';
import { serveFiles } from './support/logSources.js';
import { PlantedLog } from './support/plantedLog.js';

const START = Date.parse('2026-11-17T12:00:00.000Z');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const signal = new AbortController().signal;
const open = (address: string) => openLogSource(address, { cwd: '/', signal });

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'monitor-'));
  folders.push(folder);
  return folder;
}

/** A registration at so many milliseconds after the start. */
function leafAt(time: number, mark: string = randomUUID()): Leaf & { readonly kind: 'artifact' } {
  const content: LeafContent<'artifact'> = {
    ...{ fingerprint: newFingerprint(), manifest: newFingerprint(), metadata: newFingerprint() },
    ...{ id: randomUUID(), mark, ai: [0, 0, 0, 0], license: 'NONE_SPECIFIED' },
    time: new Date(START + time).toISOString(),
  };
  return { kind: 'artifact', content };
}

/** What a deceit is made with: a log that the monitor has seen once, at its start, with 600 leaves. */
interface Stage {
  readonly log: PlantedLog;
  /** Shows the monitor these files from now on. */
  show(files: ReadonlyMap<string, Uint8Array>): void;
  readonly mirror: PlantedLog;
}

const FIRST_SIZE = 600;

const deceits: Readonly<Record<string, { readonly kind: string; readonly plant: (stage: Stage) => Promise<void> }>> = {
  'a leaf is dropped, and the log goes on': {
    kind: 'fork',
    async plant({ log, show }) {
      const other = await log.rewrite((entries) => entries.toSpliced(77, 1), START);
      await other.publish([leafAt(MINUTE), leafAt(MINUTE)], START + MINUTE);
      show(other.files);
    },
  },
  'two leaves are swapped, and the log goes on': {
    kind: 'fork',
    async plant({ log, show }) {
      const swap = ([first, second, ...rest]: Uint8Array[]) =>
        [second, first, ...rest].filter((entry) => entry !== undefined);
      const other = await log.rewrite(swap, START);
      await other.publish([leafAt(MINUTE)], START + MINUTE);
      show(other.files);
    },
  },
  'the monitor is shown another log than a mirror': {
    kind: 'fork',
    async plant({ log, mirror, show }) {
      await log.publish([leafAt(MINUTE)], START + MINUTE);
      const other = await mirror.rewrite((entries) => [...entries, encodeLeaf(leafAt(MINUTE))], START + MINUTE);
      for (const [path, bytes] of other.files) mirror.files.set(path, bytes);
      show(log.files);
    },
  },
  'a leaf is dated back': {
    kind: 'back-dated',
    plant: ({ log }) => log.publish([leafAt(-6 * MINUTE)], START + MINUTE),
  },
  'a leaf is published late': {
    kind: 'late',
    plant: ({ log }) => log.publish([leafAt(-90 * SECOND)], START + MINUTE),
  },
  'two roots are signed for one size': {
    kind: 'fork',
    async plant({ log, show }) {
      const other = await log.rewrite((entries) => [...entries.slice(0, -1), encodeLeaf(leafAt(0))], START);
      show(other.files);
    },
  },
  'a tile is changed': {
    kind: 'bad-file',
    async plant({ log, show }) {
      await log.publish(
        Array.from({ length: 200 }, () => leafAt(MINUTE)),
        START + MINUTE,
      );
      const files = log.copy();
      const tile = Buffer.from(files.get('tile/0/002') ?? []);
      tile.writeUInt8(tile.readUInt8(32 * 240) ^ 1, 32 * 240);
      show(files.set('tile/0/002', tile));
    },
  },
  'a file of the mirror is removed': {
    kind: 'bad-file',
    async plant({ mirror }) {
      mirror.files.delete('tile/entries/001');
    },
  },
  'a smaller log than before is shown': {
    kind: 'withheld',
    async plant({ log, show }) {
      show((await log.rewrite((entries) => entries.slice(0, 500), START)).files);
    },
  },
  'a checkpoint has the signature of another key': {
    kind: 'bad-checkpoint',
    async plant({ log, show }) {
      const other = new PlantedLog(createSigner(log.signer.key.name, 'log', 'another key'));
      await other.publish(log.entries, START);
      show(other.files);
    },
  },
};

describe('a monitor', () => {
  const witness = createSigner('witness.example', 'cosignature', 'w');

  it.each(Object.entries(deceits))('finds in one run that %s', async (_name, { kind, plant }) => {
    const log = new PlantedLog(createSigner('registry.example/log', 'log', 'monitored'), [witness]);
    const mirror = new PlantedLog(log.signer, [witness]);
    const first = Array.from({ length: FIRST_SIZE }, () => leafAt(-SECOND));
    await log.publish(first, START);
    await mirror.publish(log.entries, START);
    let shown: ReadonlyMap<string, Uint8Array> = log.files;
    const show: Stage['show'] = (files) => {
      shown = files;
    };
    const [url, mirrorUrl, folder] = [
      await serveFiles(() => shown),
      await serveFiles(() => mirror.files),
      await newFolder(),
    ];
    const options = { ...watch(folder, log), source: open(url), now: () => START };
    expect(await runMonitor(options)).toMatchObject({ leaves: FIRST_SIZE, findings: [], unchecked: [] });
    await plant({ log, mirror, show });
    const result = await runMonitor({ ...options, mirrors: [open(mirrorUrl)], now: () => START + 2 * MINUTE });
    expect(result.findings.map((finding) => finding.kind)).toEqual([kind]);
    const evidence = result.findings[0]?.evidence ?? '';
    const names = await readdir(evidence);
    expect(names).toContain('finding.txt');
    expect(names).toContain('keys.txt');
    // Both of them, as the log signed them.
    if (kind === 'fork') expect(names).toEqual(expect.arrayContaining(['checkpoint-1.txt', 'checkpoint-2.txt']));
    expect(await readFile(join(evidence, 'finding.txt'), 'utf8')).toContain(result.findings[0]?.message);
  });

  it('finds in one run that an anchor on chain is no head of the log, or has more than the log shows', async () => {
    const log = new PlantedLog(createSigner('registry.example/log', 'log', 'monitored'));
    const leaves = Array.from({ length: 300 }, () => leafAt(0));
    await log.publish(leaves, START);
    const { root } = log.head;
    await log.publish([leafAt(0)], START);
    const chain = await startAnchorChain();
    const url = await serveFiles(() => log.files);
    const anchored = async (anchoredRoot: Uint8Array) => ({
      ...watch(await newFolder(), log),
      source: open(url),
      chain: { rpcUrls: [chain.url], registry: `0x${'11'.repeat(20)}`, anchors: await chain.anchor(300, anchoredRoot) },
    });
    expect(await runMonitor(await anchored(root))).toMatchObject({ findings: [], unchecked: [] });
    const { findings } = await runMonitor(await anchored(new Uint8Array(32).fill(7)));
    expect(findings.map((finding) => finding.kind)).toEqual(['fork']);
    const names = await readdir(findings[0]?.evidence ?? '');
    expect(names).toEqual(expect.arrayContaining(['anchor.json', 'checkpoint-2.txt', 'consistency.json']));

    // One that is ahead of the log as shown is compared once the log has as much.
    const ahead = { ...(await anchored(new Uint8Array(32).fill(7))), settleMs: 0 };
    const anchors = await chain.anchor(302, new Uint8Array(32).fill(7));
    const options = { ...ahead, chain: { ...ahead.chain, anchors } };
    expect((await runMonitor(options)).findings.map(({ kind }) => kind)).toEqual(['withheld']);
    await log.publish([leafAt(Date.now() - START)], Date.now());
    expect((await runMonitor(options)).findings.map(({ kind }) => kind)).toEqual(['fork']);
  });

  it('lists registrations under a Mark, each once, and finds nothing in a log that grows as it should', async () => {
    const mark = randomUUID();
    const log = new PlantedLog(createSigner('registry.example/log', 'log', 'monitored'), [witness]);
    const [url, folder] = [await serveFiles(() => log.files), await newFolder()];
    const { content } = leafAt(0);
    const {
      mark: _mark,
      ai: _ai,
      license: _license,
      ...shown
    } = 'mark' in content ? content : { ...content, mark, ai: [], license: '' };
    const listed: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      const time = round * MINUTE;
      const imported = { ...leafAt(-100 * MINUTE).content, imported: true as const };
      const hidden = { ...shown, hidden: newFingerprint(), time: new Date(START + time).toISOString() };
      await log.publish(
        [
          leafAt(time, mark),
          leafAt(time),
          { kind: 'artifact', content: imported },
          { kind: 'artifact', content: hidden },
        ],
        START + time + SECOND,
      );
      const now = () => START + time + 2 * SECOND;
      const result = await runMonitor({ ...watch(folder, log), source: open(url), marks: new Set([mark]), now });
      expect(result).toMatchObject({ leaves: 4, findings: [], unchecked: [] });
      listed.push(...result.marks.map(({ index }) => index));
    }
    expect(listed).toEqual([0, 4, 8, 12, 16]);
  });
});

/** A chain with a node; `anchor` puts a head into a contract of its own. */
async function startAnchorChain() {
  const genesisTime = Math.floor(Date.now() / 1_000) - 3_600;
  const evm = await createEvm({ funded: [], genesisTime, automine: true });
  const node = await serveJsonRpc({
    ...{ handle: (call) => evm.request(call), port: 0, origin: 'http://127.0.0.1' },
    onFault: (error) => {
      throw error;
    },
  });
  onTestFinished(() => node.close());
  const account = privateKeyToAccount(newPrivateKey());
  await evm.request({ method: 'hardhat_setBalance', params: [account.address, numberToHex(10n ** 22n)] });
  const wallet = createWalletClient({ account, chain: hardhat, transport: custom(evm) }).extend(publicActions);
  const contract = { abi: registryLogAbi, bytecode: registryLogBytecode, args: [account.address] } as const;
  return {
    url: node.url,
    async anchor(size: number, root: Uint8Array) {
      const hash = await wallet.deployContract(contract);
      const { contractAddress: address } = await wallet.getTransactionReceipt({ hash });
      if (!address) throw new Error('nothing was deployed');
      const args = [BigInt(size), toHex(root), []] as const;
      await wallet.writeContract({ address, abi: registryLogAbi, functionName: 'anchor', args });
      return address;
    },
  };
}

function watch(folder: string, log: PlantedLog): Omit<MonitorOptions, 'source'> {
  return {
    ...{ folder, policy: log.policy, mirrors: [], witnessUrls: [], service: undefined, chain: undefined },
    ...{ marks: new Set(), signal, settleMs: 0 },
  };
}

describe('beside a registry, a monitor', () => {
  let service: Service;
  let dataDir: string;
  let signer: NoteSigner;
  let ada: Registrant;
  let trust: NonNullable<MonitorOptions['service']>['trust'];

  beforeAll(async () => {
    dataDir = await newDataFolder();
    const port = await freePort();
    const key = await makeLogKey(dataDir, port);
    signer = key.signer;
    service = await startService({
      ...{ PORT: String(port), DATA_DIR: dataDir, LOG_KEY_FILE: key.file, DOWNLOADS_SECONDS: '1' },
    });
    ada = await createRegistrant(service.url);
    await register(20);
    const { signerRoots } = await ada.client.getRegistryIdentity();
    const rootsPem = signerRoots.map(({ pem }) => pem).join('\n');
    trust = { rootsPem, registry: service.url, chainId: undefined, contract: undefined, now: new Date() };
  });

  async function register(count: number): Promise<Fingerprint[]> {
    const contents = Array.from({ length: count }, () => randomUUID());
    const fingerprints = contents.map((text): Fingerprint => `0x${createHash('sha256').update(text).digest('hex')}`);
    await ada.client.createArtifacts({
      artifacts: fingerprints.map((fingerprint) => ({ markId: ada.markId, fingerprint, filename: 'a.txt' })),
    });
    for (const fingerprint of fingerprints) await ada.client.getReceipt({ fingerprint, wait: 10 });
    return fingerprints;
  }

  async function monitor(folder: string, log?: PlantedLog, settleMs = 0, now = Date.now): Promise<MonitorResult> {
    const policy = { logKeys: [signer.key], witnesses: [], quorum: undefined };
    const address = log ? await serveFiles(() => log.files) : `${service.url}/log`;
    return runMonitor({
      ...{ folder, policy, mirrors: [], witnessUrls: [], chain: undefined, signal, settleMs, now },
      marks: new Set([ada.markId]),
      source: open(address),
      service: { client: ada.client, trust: { ...trust, now: new Date() }, openFiles: open },
    });
  }

  /** The log as it is, with a change, signed with its own key. */
  async function deceive(change: (entries: Uint8Array[]) => Uint8Array[]): Promise<PlantedLog> {
    const { followLog } = await import('../../log/src/index.js');
    const { treeHasher } = await import('../src/log/hasher.js');
    const { readCheckpoint } = await import('../src/log/checkpoints.js');
    const source = open(`${service.url}/log`);
    const to = await readCheckpoint(source, { logKeys: [signer.key], witnesses: [], quorum: undefined });
    const entries: Uint8Array[] = [];
    const from = { size: 0, root: treeHasher.emptyRoot };
    for await (const batch of followLog({ from, to, readFile: source.read, hasher: treeHasher })) {
      entries.push(...batch.leaves.map(({ entry }) => Uint8Array.from(entry)));
    }
    const log = new PlantedLog(signer);
    await log.publish(change(entries), Date.now());
    return log;
  }

  const isArtifact = (entry: Uint8Array) => parseLeaf(entry)?.kind === 'artifact';
  const artifactOf = (entry: Uint8Array) => {
    const leaf = parseLeaf(entry);
    if (leaf?.kind !== 'artifact') throw new Error('no leaf of an Artifact');
    return leaf.content;
  };

  it('finds no contradiction, and lists what is registered under a Mark', async () => {
    const result = await monitor(await newFolder(), undefined, 60_000);
    expect(result).toMatchObject({ findings: [], unchecked: [] });
    expect(result.marks).toHaveLength(20);
    expect(result.manifests).toBeGreaterThan(0);
  });

  it('finds missing-manifest in one run', async () => {
    const [fingerprint = '0x'] = await register(1);
    await waitForStatus(ada.client, fingerprint);
    const folder = await newFolder();
    const { manifestId } = (await ada.client.lookUpFingerprints({ fingerprints: [fingerprint] })).results[0] ?? {};
    const published = (await readdir(dataDir, { recursive: true })).find((name) => name.endsWith(`${manifestId}.c2pa`));
    const path = join(dataDir, published ?? '');
    await rename(path, `${path}.away`);
    const { findings } = await monitor(folder);
    expect(findings.map((finding) => finding.kind)).toEqual(['missing-manifest']);
    expect(findings[0]?.message).toContain(manifestId);
    expect(await readdir(findings[0]?.evidence ?? '')).toEqual(expect.arrayContaining(['leaf.txt', 'receipt.txt']));
    await rename(`${path}.away`, path);
    expect(await monitor(await newFolder())).toMatchObject({ findings: [], unchecked: [] });
  });

  it('asks again for a manifest that is not published, and finds missing-manifest after a day', async () => {
    const planted = leafAt(Date.now() - START);
    const log = await deceive((entries) => [...entries, encodeLeaf(planted)]);
    const folder = await newFolder();
    expect((await monitor(folder, log)).unpublished).toBeGreaterThan(0);
    const inHours = (hours: number) => monitor(folder, log, 0, () => Date.now() + hours * 60 * MINUTE);
    expect(await inHours(23)).toMatchObject({ findings: [], unchecked: [], unpublished: 1 });
    const { findings } = await inHours(25);
    expect(findings).toMatchObject([
      { kind: 'missing-manifest', message: expect.stringContaining(planted.content.id) },
    ]);
    expect(await inHours(25)).toMatchObject({ findings: [], unpublished: 0 });
  });

  it.each([
    [
      'bad-manifest',
      (entries: Uint8Array[]) => {
        const place = entries.findIndex(isArtifact);
        const content = { ...artifactOf(entries[place] ?? Buffer.of()), manifest: newFingerprint() };
        return entries.with(place, encodeLeaf({ kind: 'artifact', content }));
      },
    ],
    ['leaf-without-artifact', (entries: Uint8Array[]) => [...entries, encodeLeaf(leafAt(Date.now() - START))]],
    ['artifact-without-leaf', (entries: Uint8Array[]) => entries.toSpliced(entries.findIndex(isArtifact), 1)],
  ])('finds %s in one run', async (kind, change) => {
    // The snapshot has all of them by now: it is made each second.
    await expect
      .poll(async () => (await ada.client.getDownloads().catch(() => undefined))?.index.filter.count ?? 0)
      .toBeGreaterThanOrEqual(20);
    const result = await monitor(await newFolder(), await deceive(change));
    expect(result.findings.map((finding) => finding.kind)).toEqual([kind]);
    expect(result.unchecked).toEqual([]);
  });
});

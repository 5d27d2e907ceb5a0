// The log and its witnesses: everybody reads what enough of them have signed, and what has waited for them for a minute.

import { createServer } from 'node:http';
import {
  cosignNote,
  formatCheckpoint,
  formatNote,
  formatVerifierKey,
  parseCheckpoint,
  parseNote,
  parsePolicy,
  signNote,
  verifyCheckpoint,
} from '@provenance-registry/log';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { newDataFolder } from '../../../../test/support/service.js';
import { createSigner } from '../../../log/test/support/signers.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { LogSequenceQueries } from '../../src/database/queries/log/logSequence.js';
import type { LogFiles } from '../../src/domain/ports/index.js';
import { openLogDisk } from '../../src/files/logDisk.js';
import { createLogSigners, readLogKeys } from '../../src/publicLog/keys.js';
import { createLogReader } from '../../src/publicLog/reader.js';
import type { Sequencer, SequencerOptions } from '../../src/publicLog/sequencer.js';
import { findWitnesses } from '../../src/publicLog/witnesses.js';
import { addLeaves, logKeyPem, ORIGIN, openSequencer } from '../support/logStores.js';
import { askWitnesses, policyOf, type RunningWitness, startWitness } from '../support/logWitnesses.js';

const lease = { name: 'public-log', holder: 'this test', ms: 3_600_000 };
const [signer] = createLogSigners(ORIGIN, readLogKeys(logKeyPem));
if (!signer) throw new Error('no signer');

let database: Database;
let files: LogFiles;
let records: LogSequenceQueries;
let now: number;

beforeEach(async () => {
  database = openDatabase({ connectionString: await createMigratedDatabase() });
  onTestFinished(() => database.destroy());
  files = await openLogDisk(await newDataFolder());
  records = new LogSequenceQueries(database);
  expect(await records.acquireLease(lease)).toBe(true);
  now = Date.UTC(2026, 10, 19);
});

const start = (changes: Partial<SequencerOptions> = {}) =>
  openSequencer(records, files, {
    lease,
    sources: {
      files: { read: async () => Buffer.from('manifest') },
      clock: () => new Date(now),
      onLost: () => {},
    },
    ...changes,
  });
const startThree = () => Promise.all(['w1', 'w2', 'w3'].map((name) => startWitness(`${name}.example`, [signer.key])));

/** Until nothing waits for its place, however many witnesses have signed. */
async function runUntilSigned(sequencer: Sequencer) {
  for (;;) {
    const result = await sequencer.runRound();
    const { hasPending, size } = await records.readHead();
    if (!hasPending && size > 0 && result.sequenced === 0) return result;
  }
}

async function readPublished(witnesses: readonly RunningWitness[]) {
  const { text } = (await files.readCheckpoint()) ?? {};
  if (text === undefined) return undefined;
  const keys = witnesses.map(({ key }) => key);
  const found = await findWitnesses(text, keys);
  return { size: parseCheckpoint(parseNote(text).text).size, signedBy: [...found].map(({ name }) => name) };
}

describe('a log with witnesses', () => {
  it('shows everybody what enough of them have signed, which clients verify', async () => {
    const witnesses = await startThree();
    const policy = policyOf(witnesses, 2);
    const sequencer = start({ witnesses: askWitnesses(policy, files) });
    await runUntilSigned(sequencer);
    for (const count of [1, 300, 2]) {
      await addLeaves(database, count);
      await runUntilSigned(sequencer);
    }
    expect(await readPublished(witnesses)).toEqual({ size: 305, signedBy: ['w1.example', 'w2.example', 'w3.example'] });
    const { text = '' } = (await files.readCheckpoint()) ?? {};
    const all = witnesses.map(({ line }) => line).join('\n');
    const demands = `log ${formatVerifierKey(signer.key)}\n${all}\ngroup g all w1.example w2.example w3.example\nquorum g\n`;
    expect((await verifyCheckpoint(text, parsePolicy(demands))).cosignatures).toHaveLength(3);
    expect(await createLogReader(files, policy).readReceipt(304)).toMatchObject({ witnessed: true });
    expect(witnesses.flatMap(({ lines }) => lines).filter((line) => line.startsWith('refused: The'))).toEqual([]);
  });

  it('goes on while enough of them sign, and says who does not', async () => {
    const witnesses = await startThree();
    const changes: unknown[] = [];
    await witnesses[1]?.stop();
    const ask = askWitnesses(policyOf(witnesses, 2), files, (name, failure) => void changes.push([name, failure]));
    const sequencer = start({ witnesses: ask });
    expect(await runUntilSigned(sequencer)).toMatchObject({ published: 2, unwitnessedMs: undefined });
    expect(await readPublished(witnesses)).toEqual({ size: 2, signedBy: ['w1.example', 'w3.example'] });
    await witnesses[1]?.restart();
    await addLeaves(database, 1);
    await runUntilSigned(sequencer);
    expect(await readPublished(witnesses)).toMatchObject({ size: 3, signedBy: { length: 3 } });
    expect(changes).toEqual([
      ['w2.example', expect.stringContaining('ECONNREFUSED')],
      ['w2.example', undefined],
    ]);
  });

  it('shows nothing new for a minute without enough of them, then goes on and says so', async () => {
    const witnesses = await startThree();
    const policy = policyOf(witnesses, 2);
    const sequencer = start({ witnesses: askWitnesses(policy, files) });
    await runUntilSigned(sequencer);
    await Promise.all(witnesses.slice(1).map(({ stop }) => stop()));
    await addLeaves(database, 4);
    expect(await runUntilSigned(sequencer)).toEqual({ sequenced: 0, toImport: 0, published: 2, unwitnessedMs: 0 });
    now += 59_999;
    expect(await sequencer.runRound()).toMatchObject({ published: 2, unwitnessedMs: 59_999 });
    const reader = createLogReader(files, policy);
    expect(await reader.readReceipt(5)).toBeUndefined();
    now += 1;
    expect(await sequencer.runRound()).toMatchObject({ published: 6, unwitnessedMs: 60_000 });
    expect(await readPublished(witnesses)).toEqual({ size: 6, signedBy: ['w1.example'] });
    expect(await createLogReader(files, policy).readReceipt(5)).toMatchObject({ witnessed: false });
    // No second minute while they are away.
    await addLeaves(database, 1);
    await runUntilSigned(sequencer);
    expect(await readPublished(witnesses)).toEqual({ size: 7, signedBy: ['w1.example'] });
    await witnesses[2]?.restart();
    expect(await sequencer.runRound()).toMatchObject({ published: 7, unwitnessedMs: undefined });
    expect(await readPublished(witnesses)).toEqual({ size: 7, signedBy: ['w1.example', 'w3.example'] });
  });

  it('goes on after restarts of either side, from what witnesses have signed', async () => {
    const witnesses = await startThree();
    const ask = () => askWitnesses(policyOf(witnesses, 3), files);
    await runUntilSigned(start({ witnesses: ask() }));
    await addLeaves(database, 5);
    await Promise.all(witnesses.map(({ restart }) => restart()));
    expect(await runUntilSigned(start({ witnesses: ask() }))).toMatchObject({ published: 7, unwitnessedMs: undefined });
  });

  it('gets them when it has been there for long, and may do without them again', async () => {
    const before = start();
    await addLeaves(database, 600);
    await runUntilSigned(before);
    const witnesses = await startThree();
    await runUntilSigned(start({ witnesses: askWitnesses(policyOf(witnesses, 3), files) }));
    expect(await readPublished(witnesses)).toMatchObject({ size: 602, signedBy: { length: 3 } });
    await Promise.all(witnesses.map(({ stop }) => stop()));
    await addLeaves(database, 1);
    // Signed, and no witness has seen it.
    const alone = start({ witnesses: askWitnesses(policyOf(witnesses, 3), files) });
    expect(await runUntilSigned(alone)).toMatchObject({ published: 602 });
    await addLeaves(database, 1);
    expect(await runUntilSigned(start())).toMatchObject({ published: 604 });
    expect(await readPublished(witnesses)).toEqual({ size: 604, signedBy: [] });
  });

  it('takes no signature but a valid one of the key of its witness', async () => {
    const witness = createSigner('w.example', 'cosignature', 'w');
    const other = createSigner('w.example', 'cosignature', 'another');
    const changes: unknown[] = [];
    let respond: (text: string) => Promise<readonly [number, string, string?]>;
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => void chunks.push(chunk));
      request.on('end', async () => {
        const body = Buffer.concat(chunks).toString();
        const { text } = parseNote(body.slice(body.indexOf('\n\n') + 2));
        const [status, answer, type = 'text/plain'] = await respond(text);
        response.writeHead(status, { 'content-type': type }).end(answer);
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
    const { quorum, witnesses } = parsePolicy(`witness w ${formatVerifierKey(witness.key)} ${url}\nquorum w\n`);
    const policy = { quorum, witnesses: witnesses.map(({ key }) => ({ key, url })) };
    const sequencer = start({ witnesses: askWitnesses(policy, files, (_, failure) => void changes.push(failure)) });
    const lines = async (note: Promise<{ name: string; keyId: number; signature: Uint8Array }>) =>
      formatNote({ text: '', signatures: [await note] }).slice(1);
    const time = 1_794_916_800;
    const forged = formatCheckpoint({ origin: ORIGIN, size: 9, root: new Uint8Array(32) });
    const answers: Readonly<Record<string, typeof respond>> = {
      'of another key': async (text) => [200, await lines(cosignNote(text, time, other))],
      'of another tree': async () => [200, await lines(cosignNote(forged, time, witness))],
      'without a time': async (text) => [200, await lines(cosignNote(text, 0, witness))],
      'of the log itself': async (text) => [200, await lines(signNote(text, signer))],
      none: async () => [200, 'OK\n'],
      'too long': async () => [200, '— w.example AAAA\n'.repeat(2_000)],
      'no response': () => new Promise(() => {}),
      'a refusal': async () => [422, 'no'],
      'a size beyond the log': async () => [409, '99\n', 'text/x.tlog.size'],
      'the same size again': async () => [409, '0\n', 'text/x.tlog.size'],
      'a size in another type': async () => [409, '0\n'],
    };
    respond = answers['none'] ?? expect.unreachable();
    await runUntilSigned(sequencer);
    for (const answer of Object.values(answers)) {
      respond = answer;
      expect(await sequencer.runRound()).toMatchObject({ published: 0 });
    }
    expect(changes).toEqual([
      expect.stringContaining('signature'),
      'its response has no valid signature of its key',
      expect.stringContaining('signature'),
      'its response is too long',
      'it did not answer within a second',
      'it answers 422',
      'it has signed 99 leaves of this log, which has 2',
      'it answers 409 for the size that it has told',
      'it answers 409',
    ]);
    respond = async (text) => [
      200,
      `${await lines(cosignNote(text, time, other))}${await lines(cosignNote(text, time, witness))}`,
    ];
    expect(await sequencer.runRound()).toMatchObject({ published: 2, unwitnessedMs: undefined });
  });
});

import { describe, expect, it } from 'vitest';
import { createSigner } from '../../test/support/signers.js';
import { nodeHasher } from '../../test/support/vectors.js';
import { encodeUtf8 } from '../encoding.js';
import { LogFormatError } from '../errors.js';
import { appendEntries, readEdge, type TreeEdge } from '../tree/edge.js';
import { proveConsistency } from '../tree/tiledTree.js';
import { HashTile } from '../tree/tiles.js';
import { formatCheckpoint } from './checkpoint.js';
import { formatNote } from './note.js';
import { signNote } from './signatures.js';
import { formatWitnessRequest, parseWitnessRequest, requireExtension, WitnessRefusal } from './witnessRequest.js';

const origin = 'registry.example/log';
const log = createSigner(origin, 'log', 'log');
const otherLog = createSigner('other.example/log', 'log', 'other');
const noteOf = async ({ size, root }: Pick<TreeEdge, 'size' | 'root'>, signer = log) => {
  const text = formatCheckpoint({ origin: signer.key.name, size, root });
  return formatNote({ text, signatures: [await signNote(text, signer)] });
};
const empty = await readEdge({ size: 0, root: nodeHasher.emptyRoot }, () => expect.unreachable(), nodeHasher);
const leaves = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(encodeUtf8);
const edgeOf = (size: number, change?: string) =>
  appendEntries(
    empty,
    change === undefined ? leaves.slice(0, size) : [...leaves.slice(0, size - 1), encodeUtf8(change)],
    nodeHasher,
  ).edge;
const hashes = leaves.map((leaf) => nodeHasher.hashLeaf(leaf));
const prove = (oldSize: number, size: number) => {
  const readTile = async () => new HashTile(hashes.slice(0, size), nodeHasher);
  return proveConsistency({ size, readTile, hasher: nodeHasher }, oldSize);
};
const ask = async (oldSize: number, checkpoint: string, proof: Uint8Array[], known = edgeOf(oldSize)) =>
  requireExtension({ oldSize, proof, checkpoint }, [log.key, otherLog.key], () =>
    known.size === 0 ? undefined : known,
  );
const refusal = async (answer: Promise<unknown>) => {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof WitnessRefusal ? [error.status, error.size] : error;
};

describe('a request to a witness', () => {
  it('is read as it was written', async () => {
    const request = { oldSize: 3, proof: await prove(3, 7), checkpoint: await noteOf(edgeOf(7)) };
    const text = formatWitnessRequest(request);
    expect(text).toMatch(/^old 3\n(?:[A-Za-z0-9+/]{43}=\n){4}\nregistry\.example\/log\n7\n/);
    const read = parseWitnessRequest(text);
    expect({ ...read, proof: read.proof.map((one) => [...one]) }).toEqual({
      ...request,
      proof: request.proof.map((one) => [...one]),
    });
    const first = { oldSize: 0, proof: [], checkpoint: request.checkpoint };
    expect(parseWitnessRequest(formatWitnessRequest(first))).toEqual(first);
  });

  it.each([
    ['no old size', 'old\n\n'],
    ['a leading zero', 'old 01\n\n'],
    ['a hash of another length', 'old 1\nAAAA\n\n'],
    ['a carriage return', 'old 1\r\n\r\n'],
    ['too many hashes', `old 1\n${`${'A'.repeat(43)}=\n`.repeat(64)}\n`],
    ['nothing', ''],
  ])('is refused with %s', (_, text) => {
    expect(() => parseWitnessRequest(`${text}x`)).toThrow(LogFormatError);
  });

  it('is granted for each larger tree, and for the same one again', async () => {
    for (let size = 1; size <= leaves.length; size += 1) {
      for (let oldSize = 0; oldSize <= size; oldSize += 1) {
        const granted = await ask(oldSize, await noteOf(edgeOf(size)), await prove(oldSize, size));
        expect(granted).toMatchObject({ origin, size });
        expect(Buffer.compare(granted.root, edgeOf(size).root)).toBe(0);
      }
    }
  });

  it('is refused with the status of the specification', async () => {
    const [note, proof] = [await noteOf(edgeOf(7)), await prove(3, 7)];
    const [text = '', line = ''] = note.split('\n\n');
    const forged = `${text}\n\n${line.slice(0, -6)}${line.at(-6) === 'A' ? 'B' : 'A'}${line.slice(-5)}`;
    const stranger = createSigner('stranger.example/log', 'log', 'stranger');
    const impostor = createSigner(origin, 'log', 'impostor');
    expect(await refusal(ask(3, await noteOf(edgeOf(7), stranger), proof))).toEqual([404, undefined]);
    expect(await refusal(ask(3, forged, proof))).toEqual([403, undefined]);
    expect(await refusal(ask(3, await noteOf(edgeOf(7), impostor), proof))).toEqual([403, undefined]);
    expect(await refusal(ask(7, await noteOf(edgeOf(3)), []))).toEqual([400, undefined]);
    expect(await refusal(ask(3, note, proof, edgeOf(4)))).toEqual([409, 4]);
    expect(await refusal(ask(0, note, [], edgeOf(4)))).toEqual([409, 4]);
    expect(await refusal(ask(3, note, proof.slice(1)))).toEqual([422, undefined]);
    expect(await refusal(ask(3, note, [...proof, ...proof.slice(-1)]))).toEqual([422, undefined]);
    expect(await refusal(ask(3, note, proof, edgeOf(3, 'another')))).toEqual([422, undefined]);
    expect(await refusal(ask(7, await noteOf(edgeOf(7, 'another')), []))).toEqual([422, undefined]);
    expect(await refusal(ask(0, note, proof.slice(0, 1), empty))).toEqual([422, undefined]);
    const nothing = await noteOf({ size: 0, root: new Uint8Array(32) });
    expect(await refusal(ask(0, nothing, [], empty))).toEqual([422, undefined]);
  });
});

import { describe, expect, it } from 'vitest';
import { createSigner } from '../../test/support/signers.js';
import { LogFormatError, LogProofError } from '../errors.js';
import { formatCheckpoint, parseCheckpoint, verifyCheckpoint } from './checkpoint.js';
import { formatVerifierKey } from './keys.js';
import { formatNote, type NoteSignature } from './note.js';
import { parsePolicy } from './policy.js';
import { checkSignature, cosignNote, signNote } from './signatures.js';

const TIME = 1_794_916_800;
const origin = 'registry.example/log';
const log = createSigner(origin, 'log', 'log');
const nextLog = createSigner(origin, 'log', 'next log');
const [first, second, third] = ['1', '2', '3'].map((name) =>
  createSigner(`w.example/${name}`, 'cosignature', name),
) as [typeof log, typeof log, typeof log];
const text = formatCheckpoint({ origin, size: 7, root: new Uint8Array(32) });
const policyOf = (quorum: number, logs = [log]) =>
  parsePolicy(
    [
      ...logs.map(({ key }) => `log ${formatVerifierKey(key)}`),
      ...[first, second, third].map(({ key }, index) => `witness w${index} ${formatVerifierKey(key)}`),
      ...(quorum === 0 ? ['quorum none'] : [`group g ${quorum} w0 w1 w2`, 'quorum g']),
    ].join('\n'),
  );
const verify = async (signatures: (NoteSignature | Promise<NoteSignature>)[], quorum = 0, logs = [log]) =>
  verifyCheckpoint(formatNote({ text, signatures: await Promise.all(signatures) }), policyOf(quorum, logs));

describe('a checkpoint', () => {
  it('has origin, size, root, and lines that nothing here gives a meaning', () => {
    const root = new Uint8Array(32);
    expect(parseCheckpoint(text)).toEqual({ origin, size: 7, root, extensions: [] });
    expect(parseCheckpoint(`${text}a\nb\n`).extensions).toEqual(['a', 'b']);
  });

  it.each([
    ['no origin', text.replace(origin, '')],
    ['no root', `${origin}\n7\n`],
    ['a leading zero', text.replace('7', '07')],
    ['no number', text.replace('7', 'x')],
    ['a size that is not exact here', text.replace('7', '9007199254740993')],
    ['a root of another length', text.replace('AAAA', '')],
    ['a space after the size', text.replace('7', '7 ')],
    ['an empty line', `${text}\nextension\n`],
    ['no newline at the end', text.slice(0, -1)],
  ])('is refused with %s', (_, changed) => {
    expect(() => parseCheckpoint(changed)).toThrow(LogFormatError);
  });

  it('is verified with the log and as many witnesses as the policy asks for', async () => {
    const signatures = [signNote(text, log), cosignNote(text, TIME, first), cosignNote(text, TIME + 1, third)];
    expect((await verify(signatures, 2)).cosignatures).toEqual([
      { name: 'w.example/1', time: TIME },
      { name: 'w.example/3', time: TIME + 1 },
    ]);
    await expect(verify(signatures, 3)).rejects.toThrow('signed: w.example/1, w.example/3');
    await expect(verify(signatures.slice(1))).rejects.toThrow('not signed by the log');
  });

  it('is verified with an earlier or later key of the log', async () => {
    expect((await verify([signNote(text, nextLog)], 0, [log, nextLog])).size).toBe(7);
    expect((await verify([signNote(text, log), signNote(text, nextLog)], 0, [log, nextLog])).size).toBe(7);
    await expect(verify([signNote(text, nextLog)])).rejects.toThrow(LogProofError);
  });

  it('is refused if a known key is there twice, or its signature is not valid', async () => {
    const signature = await signNote(text, log);
    await expect(verify([signature, signature])).rejects.toThrow(LogProofError);
    const cosignature = await cosignNote(text, TIME, first);
    await expect(verify([signature, cosignature, cosignNote(text, TIME + 1, first)])).rejects.toThrow(LogProofError);
    for (const [length, place] of [
      [72, 0],
      [72, 7],
      [72, 8],
      [72, 71],
      [71, 0],
      [73, 0],
    ] as const) {
      const bytes = Buffer.alloc(length);
      bytes.set(cosignature.signature.subarray(0, length));
      bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
      await expect(verify([signature, { ...cosignature, signature: bytes }])).rejects.toThrow(LogProofError);
    }
    await expect(verify([{ ...signature, signature: signature.signature.subarray(1) }])).rejects.toThrow(LogProofError);
  });

  it('may have signatures of unknown keys, also under a known name or id', async () => {
    const signature = await signNote(text, log);
    const unknown = [
      { ...signature, keyId: signature.keyId ^ 1 },
      { ...signature, name: 'unknown.example' },
      { name: 'unknown.example', keyId: 0, signature: Uint8Array.of(1) },
    ];
    expect((await verify([...unknown, signature])).size).toBe(7);
    await expect(verify(unknown)).rejects.toThrow('not signed by the log');
  });

  it('of another log is refused, although that log is known by the key', async () => {
    const foreign = formatCheckpoint({ origin: 'other.example/log', size: 7, root: new Uint8Array(32) });
    const note = formatNote({ text: foreign, signatures: [await signNote(foreign, log)] });
    await expect(verifyCheckpoint(note, policyOf(0))).rejects.toThrow('not signed by the log');
  });
});

describe('signatures', () => {
  it('of a log and a witness cannot stand for each other', async () => {
    await expect(cosignNote(text, TIME, log)).rejects.toThrow(LogFormatError);
    await expect(signNote(text, first)).rejects.toThrow(LogFormatError);
    const { signature } = await cosignNote(text, TIME, first);
    expect(await checkSignature(text, { ...first.key, kind: 'log' }, signature.subarray(8))).toBeUndefined();
  });

  it('with a time that is not exact here do not count', async () => {
    const { signature } = await cosignNote(text, TIME, first);
    const late = Buffer.from(signature);
    late.writeUInt8(0x7f, 0);
    expect(await checkSignature(text, first.key, late)).toBeUndefined();
  });

  it('of a key that is no point of the curve do not count', async () => {
    const key = { ...log.key, publicKey: new Uint8Array(32).fill(0xff) };
    expect(await checkSignature(text, key, new Uint8Array(64))).toBeUndefined();
  });
});

// The index of a log as it is defined, written for reading and not for speed; and proofs that prove nothing.

import { hash } from 'node:crypto';
import { randomBytes } from '../../../../test/support/random.js';
import { findProvenLeaf, type IndexHead, type IndexProof, LogFormatError, LogProofError } from '../../src/index.js';
import { nodeHasher } from './vectors.js';

const sha256 = (...parts: readonly Uint8Array[]) => hash('sha256', Buffer.concat(parts), 'buffer');
const RECORD_BYTES = 40;

/** By fingerprint in hexadecimal digits. */
export type NaiveIndex = ReadonlyMap<string, number>;

/** The records of the fingerprints that begin with these bits, and the hash of all their buckets. */
export function naiveSubtree(index: NaiveIndex, bits: number, prefix = ''): { hash: Uint8Array; records: Uint8Array } {
  const entries = [...index].filter(([hex]) => bitsOf(hex).startsWith(prefix));
  if (prefix.length === bits || entries.length === 0) {
    const records = Buffer.concat(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(toRecord));
    let subtree = sha256(Uint8Array.of(0), records);
    for (let level = prefix.length; level < bits; level += 1) subtree = sha256(Uint8Array.of(1), subtree, subtree);
    return { hash: subtree, records };
  }
  const own = new Map(entries);
  const [left, right] = [naiveSubtree(own, bits, `${prefix}0`), naiveSubtree(own, bits, `${prefix}1`)];
  return {
    hash: sha256(Uint8Array.of(1), left.hash, right.hash),
    records: Buffer.concat([left.records, right.records]),
  };
}

export function naiveProof(index: NaiveIndex, bits: number, hex: string, prefixBits = bits): IndexProof {
  const prefix = bitsOf(hex).slice(0, prefixBits);
  const siblings = Array.from({ length: prefixBits }, (_, level) => {
    const path = prefix.slice(0, prefixBits - level);
    return naiveSubtree(index, bits, path.slice(0, -1) + (path.endsWith('0') ? '1' : '0')).hash;
  });
  return { records: naiveSubtree(index, bits, prefix).records, siblings };
}

function toRecord([hex, leafIndex]: readonly [string, number]): Uint8Array {
  return Buffer.from(hex + leafIndex.toString(16).padStart(16, '0'), 'hex');
}

function bitsOf(hex: string): string {
  return BigInt(`0x${hex}`).toString(2).padStart(256, '0');
}

/** Returns a number of at least 0 and less than the limit. */
type Choose = (limit: number) => number;

const flip = (bytes: Uint8Array, choose: Choose) => {
  const copy = Uint8Array.from(bytes);
  const place = choose(bytes.length);
  copy[place] = (copy[place] ?? 0) ^ (1 << choose(8));
  return copy;
};
const place = ({ records }: IndexProof, choose: Choose) => choose(records.length / RECORD_BYTES + 1) * RECORD_BYTES;
const cut = (proof: IndexProof, choose: Choose) => {
  const at = place(proof, choose);
  return [proof.records.subarray(0, at), proof.records.subarray(at)] as const;
};

/** What `choose` leaves as it was is no mutation, and is not counted. */
const mutations: Readonly<Record<string, (proof: IndexProof, other: IndexProof, choose: Choose) => IndexProof>> = {
  'a bit of the records': (proof, _, choose) => ({ ...proof, records: flip(proof.records, choose) }),
  'a bit of a leaf index': (proof, _, choose) => {
    const records = Uint8Array.from(proof.records);
    const byte = place(proof, choose) + 32 + choose(8);
    if (byte < records.length) records[byte] = (records[byte] ?? 0) ^ (1 << choose(8));
    return { ...proof, records };
  },
  'a record left out': (proof, _, choose) => {
    const [before, after] = cut(proof, choose);
    return { ...proof, records: Buffer.concat([before, after.subarray(RECORD_BYTES)]) };
  },
  'a record twice': (proof, _, choose) => {
    const [before, after] = cut(proof, choose);
    return { ...proof, records: Buffer.concat([before, after.subarray(0, RECORD_BYTES), after]) };
  },
  'a record of another bucket': (proof, other, choose) => {
    const [before, after] = cut(proof, choose);
    return { ...proof, records: Buffer.concat([before, other.records.subarray(0, RECORD_BYTES), after]) };
  },
  'records moved': (proof, _, choose) => ({ ...proof, records: Buffer.concat([...cut(proof, choose)].reverse()) }),
  'bytes cut off': (proof, _, choose) => ({
    ...proof,
    records: proof.records.subarray(0, choose(proof.records.length)),
  }),
  'other records': (proof, { records }) => ({ ...proof, records }),
  'a bit of a hash': (proof, _, choose) => {
    const at = choose(proof.siblings.length);
    return { ...proof, siblings: proof.siblings.map((one, level) => (level === at ? flip(one, choose) : one)) };
  },
  'a hash left out': (proof, _, choose) => ({
    ...proof,
    siblings: proof.siblings.toSpliced(choose(proof.siblings.length), 1),
  }),
  'a hash twice': (proof, _, choose) => {
    const at = choose(proof.siblings.length);
    return { ...proof, siblings: proof.siblings.toSpliced(at, 0, ...proof.siblings.slice(at, at + 1)) };
  },
  'hashes moved': (proof, _, choose) => {
    const at = choose(proof.siblings.length);
    return { ...proof, siblings: [...proof.siblings.slice(at), ...proof.siblings.slice(0, at)] };
  },
  'a hash of another length': (proof, _, choose) => {
    const at = choose(proof.siblings.length);
    const siblings = proof.siblings.map((one, level) => (level === at ? one.subarray(0, choose(one.length)) : one));
    return { ...proof, siblings };
  },
  // Those of sixteen buckets could be the proof of the same file in another form.
  'other hashes': (proof, { siblings }) => (siblings.length === proof.siblings.length ? { ...proof, siblings } : proof),
  'buckets given as hashes': ({ records, siblings }) => {
    const [first = new Uint8Array(32), ...rest] = siblings;
    return { records: Buffer.concat([records, first, new Uint8Array(8)]), siblings: rest };
  },
};

export interface ProvenQuestion {
  readonly fingerprint: Uint8Array;
  readonly proof: IndexProof;
}

/** Changed proofs of these questions, each kind of change as often. */
export function* mutateProofs(questions: readonly ProvenQuestion[], count: number) {
  const choose = createChoice();
  const kinds = Object.entries(mutations);
  const pick = () => questions[choose(questions.length)];
  for (let done = 0; done < count; ) {
    const [question, other] = [pick(), pick()];
    const [name, mutate] = kinds[done % kinds.length] ?? [];
    if (!question || !other || !name || !mutate) throw new Error('there is nothing to mutate');
    const proof = mutate(question.proof, other.proof, choose);
    if (isSame(proof, question.proof)) continue;
    done += 1;
    yield { name, fingerprint: question.fingerprint, proof };
  }
}

/** The mutations that were accepted, or refused by another error than one of a proof. */
export function findAcceptedProofs(questions: readonly ProvenQuestion[], head: IndexHead, count: number): string[] {
  const faults: string[] = [];
  for (const { name, fingerprint, proof } of mutateProofs(questions, count)) {
    try {
      findProvenLeaf(fingerprint, proof, head, nodeHasher);
      faults.push(`${name}: accepted`);
    } catch (error) {
      if (!(error instanceof LogProofError) && !(error instanceof LogFormatError)) faults.push(`${name}: ${error}`);
    }
  }
  return faults;
}

function isSame(one: IndexProof, other: IndexProof): boolean {
  const [parts, others] = [one, other].map(({ records, siblings }) => [records, ...siblings]);
  if (parts?.length !== others?.length) return false;
  return parts?.every((bytes, place) => Buffer.compare(bytes, others?.[place] ?? new Uint8Array()) === 0) ?? false;
}

function createChoice(): Choose {
  let [bytes, offset] = [randomBytes(1024 * 1024), 0];
  return (limit) => {
    if (offset === bytes.length) [bytes, offset] = [randomBytes(1024 * 1024), 0];
    offset += 4;
    return limit === 0 ? 0 : bytes.readUInt32BE(offset - 4) % limit;
  };
}

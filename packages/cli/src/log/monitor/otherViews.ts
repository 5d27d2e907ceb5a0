// What others have seen of the log: mirrors, which have all of it, and witnesses, which remember its last checkpoint.

import { randomInt } from 'node:crypto';
import {
  followLog,
  formatWitnessRequest,
  LogFileError,
  type LogPolicy,
  ProvenTree,
  proveConsistency,
  TILE_WIDTH,
  WITNESS_SIZE_TYPE,
} from '@provenance-registry/log';
import { CommandError, systemReason } from '../../errors.js';
import {
  describeBadFile,
  describeKeys,
  findFork,
  openCheckpoint,
  readCheckpoint,
  type SignedCheckpoint,
} from '../checkpoints.js';
import { type Finding, FoundError } from '../findings.js';
import { EMPTY_TREE, treeHasher } from '../hasher.js';
import type { LogSource } from '../source.js';

/** Of files that were read by an earlier run. */
const SAMPLE_COUNT = 32;
const WITNESS_TIMEOUT_MS = 10_000;
const MAX_WITNESS_RESPONSE = 16 * 1024;

/** The log as it was checked. */
export interface CheckedLog {
  readonly tree: ProvenTree;
  readonly checkpoint: SignedCheckpoint;
  readonly policy: LogPolicy;
}

/** Reads all files of a mirror that were not read before, and some of the others. Returns its checkpoint. */
export async function compareMirror(
  { tree, checkpoint, policy }: CheckedLog,
  mirror: LogSource,
  knownNote: string | undefined,
): Promise<SignedCheckpoint> {
  const copy = await readCheckpoint(mirror, policy);
  try {
    const openCopy = () => ProvenTree.open(copy, mirror.read, treeHasher);
    const fork =
      copy.size <= checkpoint.size
        ? await findFork(async () => tree, checkpoint, copy, policy)
        : await findFork(openCopy, copy, checkpoint, policy);
    if (fork) throw new FoundError(fork);
    const known = knownNote === undefined ? undefined : await openCheckpoint(knownNote, mirror.address, policy);
    const from = known && known.size <= copy.size ? known : EMPTY_TREE;
    for await (const _batch of followLog({ from, to: copy, readFile: mirror.read, hasher: treeHasher }));
    const copied = await openCopy();
    const bundles = Math.ceil(from.size / TILE_WIDTH);
    for (let count = 0; count < Math.min(SAMPLE_COUNT, bundles); count += 1) {
      await copied.readBundle(randomInt(bundles));
      copied.takeFiles();
    }
  } catch (error) {
    if (!(error instanceof LogFileError)) throw error;
    throw new FoundError(await describeBadFile(mirror, error, copy, policy));
  }
  return copy;
}

/** Asks a witness to sign the checkpoint: it refuses one that does not extend what it has signed. Returns what it found. */
export async function compareWitness(
  { tree, checkpoint, policy }: CheckedLog,
  url: string,
): Promise<Finding | undefined> {
  let oldSize = checkpoint.size;
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const proof = await proveConsistency(tree.asTree(), oldSize);
    const request = formatWitnessRequest({ oldSize, proof, checkpoint: checkpoint.note });
    const { status, size, text } = await ask(url, request);
    if (status === 200) return undefined;
    const problem = findRefusal(url, checkpoint, { status, size, oldSize });
    const files = { 'checkpoint-1.txt': checkpoint.note, 'keys.txt': describeKeys(policy), 'request.txt': request };
    if (problem) return { ...problem, files: { ...files, 'response.txt': `${status}\n${text}` } };
    if (status !== 409 || size === undefined) throw unreachable(url, `status ${status}`);
    oldSize = size;
  }
  throw unreachable(url, 'it does not say which checkpoint it has signed');
}

function findRefusal(
  url: string,
  checkpoint: SignedCheckpoint,
  { status, size, oldSize }: { readonly status: number; readonly size: number | undefined; readonly oldSize: number },
): Pick<Finding, 'kind' | 'message'> | undefined {
  // 409 without a size: some witnesses answer so for another root of the same size.
  if (status === 422 || (status === 409 && (size === undefined || size === oldSize))) {
    const message = `Two histories: the witness ${url} refuses the ${checkpoint.size} leaves of ${checkpoint.from}, since it has signed another checkpoint.`;
    return { kind: 'fork', message };
  }
  if (status !== 409 || size === undefined || size <= checkpoint.size) return undefined;
  return {
    kind: 'withheld',
    message: `The witness ${url} has signed ${size} leaves, and ${checkpoint.from} shows ${checkpoint.size}.`,
  };
}

async function ask(url: string, body: string) {
  try {
    const response = await fetch(`${url.replace(/\/$/, '')}/add-checkpoint`, {
      method: 'POST',
      body,
      signal: AbortSignal.timeout(WITNESS_TIMEOUT_MS),
    });
    const text = (await response.text()).slice(0, MAX_WITNESS_RESPONSE);
    const isSize = response.headers.get('content-type') === WITNESS_SIZE_TYPE && /^\d{1,15}\n$/.test(text);
    return { status: response.status, size: isSize ? Number(text) : undefined, text };
  } catch (error) {
    throw unreachable(url, systemReason(error instanceof Error && error.cause ? error.cause : error));
  }
}

function unreachable(url: string, reason: string): CommandError {
  return new CommandError('UNREACHABLE', 3, `The witness ${url} could not be asked: ${reason}.`);
}

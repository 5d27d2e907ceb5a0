// The contract of anchors on a real EVM: random histories of honest and forged calls against the tree of the log in
// TypeScript, and what an anchor costs up to a billion leaves.

import { hash } from 'node:crypto';
import fc from 'fast-check';
import {
  type Address,
  type GetContractReturnType,
  getContract,
  type Hex,
  hexToBytes,
  type PublicClient,
  toHex,
} from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { seed } from '../../../test/support/random.js';
import {
  createTreeHasher,
  HashTile,
  isConsistent,
  proveConsistency,
  readRoot,
  type TiledTree,
} from '../../log/src/index.js';
import { registryLogAbi, registryLogBytecode } from '../src/index.js';
import { type Evm, type Sender, startEvm } from './support/evm.js';
import { revertOf } from './support/registry.js';

const hasher = createTreeHasher((data) => hash('sha256', data, 'buffer'));
/** Ends a test that hangs on a busy machine. */
const HANG_TIMEOUT_MS = 3_600_000;

type Contract = GetContractReturnType<typeof registryLogAbi, { public: PublicClient; wallet: Sender }>;

let evm: Evm;
let [writer, stranger]: Address[] = [];
beforeAll(async () => {
  evm = await startEvm();
  [writer, stranger] = evm.accounts;
});

async function deploy(): Promise<(account: Address | undefined) => Contract> {
  if (!writer) throw new Error('no account');
  const sent = await evm
    .as(writer)
    .deployContract({ abi: registryLogAbi, bytecode: registryLogBytecode, args: [writer] });
  const { contractAddress: address } = await evm.reader.getTransactionReceipt({ hash: sent });
  if (!address) throw new Error('Nothing was deployed');
  return (account) =>
    getContract({ address, abi: registryLogAbi, client: { public: evm.reader, wallet: evm.as(account ?? address) } });
}

/** Trees with the same beginning. */
type Trees = (size: number) => TiledTree;

const MAX_SMALL_SIZE = 200;
const smallTrees =
  (salt: number): Trees =>
  (size) => {
    const leaves = Array.from({ length: size }, (_, index) => hasher.hashLeaf(Uint8Array.of(salt, index)));
    return { size, hasher, readTile: async () => new HashTile(leaves, hasher) };
  };

/** Trees of any size whose leaves are all the same: the hash of a complete subtree follows from its height. */
const hugeTrees: Trees = (size) => ({
  size,
  hasher,
  readTile: async ({ level, width }) =>
    new HashTile(
      Array.from({ length: width }, () => hashTiles(level)),
      hasher,
    ),
});

function hashTiles(level: number | 'entries'): Uint8Array {
  if (level === 'entries') throw new Error('Proofs need no entries');
  let root: Uint8Array = hasher.hashLeaf(Uint8Array.of(0));
  for (let height = 0; height < 8 * level; height += 1) root = hasher.hashNode(root, root);
  return root;
}

interface Anchor {
  readonly size: bigint;
  readonly root: Hex;
  readonly proof: Hex[];
}

async function anchorOf(trees: Trees, from: number, to: number): Promise<Anchor> {
  const tree = trees(to);
  return {
    size: BigInt(to),
    root: toHex(await readRoot(tree)),
    proof: (await proveConsistency(tree, Math.min(from, to))).map((part) => toHex(part)),
  };
}

const argumentsOf = ({ size, root, proof }: Anchor) => [size, root, proof] as const;

const NO_ROOT = toHex(0, { size: 32 });

type Change =
  | { do: 'nothing' | 'stranger' | 'other log' | 'no proof' | 'longer proof' | 'shorter proof' }
  | { do: 'flip'; bit: number };

/** What the reference says of a call; undefined: it is accepted. */
function expectedError(head: Anchor | undefined, by: Address | undefined, next: Anchor): string | undefined {
  if (by !== writer) return 'NotWriter';
  if (next.size <= (head?.size ?? 0n)) return 'SizeNotLarger';
  const old = head ? { size: Number(head.size), root: hexToBytes(head.root) } : { size: 0, root: hasher.emptyRoot };
  const hashes = next.proof.map((part) => hexToBytes(part));
  const isProven = isConsistent(old, { size: Number(next.size), root: hexToBytes(next.root) }, hashes, hasher);
  return isProven ? undefined : 'InvalidProof';
}

function flip(bytes: Hex, bit: number): Hex {
  return toHex(
    hexToBytes(bytes).map((byte, index) => (index === Math.floor(bit / 8) % 32 ? byte ^ (1 << (bit % 8)) : byte)),
  );
}

/** The root is part of what is changed. */
function change(anchor: Anchor, how: Change): Anchor {
  const { proof, root } = anchor;
  if (how.do === 'no proof') return { ...anchor, proof: [] };
  if (how.do === 'longer proof') return { ...anchor, proof: [...proof, root] };
  if (how.do === 'shorter proof') return { ...anchor, proof: proof.slice(0, -1) };
  if (how.do !== 'flip') return anchor;
  const target = how.bit % (proof.length + 1);
  const changed = proof.map((part, index) => (index === target ? flip(part, how.bit) : part));
  return { ...anchor, proof: changed, root: target === proof.length ? flip(root, how.bit) : root };
}

const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('nothing' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('stranger', 'other log', 'no proof', 'longer proof', 'shorter proof' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('flip' as const), bit: fc.nat(65_535) }) },
);
/** Mostly growing; equal and smaller sizes too. */
const steps = fc.array(fc.record({ growth: fc.integer({ min: -3, max: 30 }), change: changes }), { maxLength: 12 });

type Step = { readonly growth: number; readonly change: Change };

async function callOf(head: Anchor | undefined, { growth, change: how }: Step) {
  const from = Number(head?.size ?? 0n);
  const to = Math.min(Math.max(from + growth, 0), MAX_SMALL_SIZE);
  const honest = await anchorOf(smallTrees(how.do === 'other log' ? 1 : 0), from, to);
  return { by: how.do === 'stranger' ? stranger : writer, anchor: change(honest, how) };
}

describe('the contract of anchors', () => {
  it(
    'accepts what extends the last anchor, by its writer, and nothing else',
    async () => {
      const ends = new Set<string>();
      await fc.assert(
        fc.asyncProperty(steps, async (history) => {
          const as = await deploy();
          let head: Anchor | undefined;
          for (const step of history) {
            const { by, anchor } = await callOf(head, step);
            const expected = expectedError(head, by, anchor);
            const ended = await revertOf(as(by).write.anchor(argumentsOf(anchor)));
            expect(ended?.name).toBe(expected);
            ends.add(expected ?? 'anchored');
            if (expected === undefined) head = anchor;
            expect(await as(writer).read.head()).toEqual([head?.size ?? 0n, head?.root ?? NO_ROOT]);
          }
          const events = await as(writer).getEvents.Anchored({}, { fromBlock: 0n });
          expect(events.at(-1)?.args).toEqual(head && { size: head.size, root: head.root });
        }),
        { numRuns: 60, seed },
      );
      expect([...ends].sort()).toEqual(['InvalidProof', 'NotWriter', 'SizeNotLarger', 'anchored']);
    },
    HANG_TIMEOUT_MS,
  );

  it(
    'accepts every proof between two small trees, and no rewritten tree with its own proof',
    async () => {
      const sizes = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33];
      for (const from of sizes) {
        const as = await deploy();
        await as(writer).write.anchor(argumentsOf(await anchorOf(smallTrees(0), 0, from)));
        for (const to of sizes.filter((size) => size > from)) {
          const honest = argumentsOf(await anchorOf(smallTrees(0), from, to));
          expect(await revertOf(as(writer).simulate.anchor(honest, { account: writer }))).toBeUndefined();
          const rewritten = argumentsOf(await anchorOf(smallTrees(1), from, to));
          const refused = await revertOf(as(writer).simulate.anchor(rewritten, { account: writer }));
          expect(refused?.name, `${from} to ${to}`).toBe('InvalidProof');
        }
      }
    },
    HANG_TIMEOUT_MS,
  );

  it.each([
    [1_000_000, 56_000],
    [10_000_000, 58_000],
    [100_000_000, 61_000],
    [1_000_000_000, 65_000],
  ])(
    'costs little at a size of %i: at most %i gas for what a minute adds',
    async (size, limit) => {
      const used: number[] = [];
      for (let round = 0; round < 25; round += 1) {
        const as = await deploy();
        const from = size - 3_989 * round;
        await as(writer).write.anchor(argumentsOf(await anchorOf(hugeTrees, 0, from)));
        const to = from + 1 + 41 * round;
        const sent = await as(writer).write.anchor(argumentsOf(await anchorOf(hugeTrees, from, to)));
        used.push(Number((await evm.reader.getTransactionReceipt({ hash: sent })).gasUsed));
      }
      console.info(`anchor at ${size}: ${Math.min(...used)} to ${Math.max(...used)} gas`);
      expect(Math.max(...used)).toBeLessThanOrEqual(limit);
    },
    HANG_TIMEOUT_MS,
  );
});

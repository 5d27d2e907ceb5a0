// The Merkle-Patricia trie of a block's receipts: keys are the RLP of the index, values the encoded receipts.
//
// Receipts are longer than 32 bytes and no key is the beginning of another. So all references are hashes (no node is
// embedded in its parent), and branches have no values: this file has and accepts no others.

import { InvalidProofError } from './errors.js';
import { keccak256 } from './keccak.js';
import type { Hex } from './results.js';
import { decodeRlp, encodeNumber, encodeRlp, requireBytes, requireList } from './rlp.js';

/** Children of a branch; its last field is the value, always empty here. */
const BRANCH_CHILDREN = 16;

interface Entry {
  /** The key in hexadecimal digits, one for each step from the root. */
  readonly path: string;
  readonly value: Hex;
}

export interface TrieProof {
  readonly root: Hex;
  /** The nodes from the root to the leaf. */
  readonly nodes: readonly Hex[];
}

/** The root of the trie of these receipts, and the path to one of them. */
export function buildReceiptProof(receipts: readonly Hex[], index: number): TrieProof {
  const target = pathOf(index);
  const nodes: Hex[] = [];
  const entries = receipts.map((value, number) => ({ path: pathOf(number), value }));
  const root = hashNode(entries, '', target, nodes);
  return { root, nodes: nodes.reverse() };
}

/** The receipt to which the nodes lead from the root; throws InvalidProofError when they lead to none. */
export function readReceiptFromTrie({ root, nodes }: TrieProof, index: number): Hex {
  let hash = root;
  let rest = pathOf(index);
  for (const [position, node] of nodes.entries()) {
    if (keccak256(node) !== hash) throw new InvalidProofError('a node of the proof does not have the expected hash');
    const step = readNode(node, rest);
    if ('value' in step) {
      if (position !== nodes.length - 1) throw new InvalidProofError('the proof has nodes after the receipt');
      return step.value;
    }
    ({ hash, rest } = step);
  }
  throw new InvalidProofError('the proof does not lead to a receipt');
}

type Step = { readonly value: Hex } | { readonly hash: Hex; readonly rest: string };

function readNode(node: Hex, path: string): Step {
  const fields = requireList(decodeRlp(node));
  if (fields.length === BRANCH_CHILDREN + 1) {
    const child = path === '' ? undefined : fields[Number.parseInt(path.charAt(0), 16)];
    return { hash: requireBytes(child, 32), rest: path.slice(1) };
  }
  const [prefix, content] = fields;
  if (fields.length !== 2 || typeof prefix !== 'string' || typeof content !== 'string') {
    throw new InvalidProofError('the proof has a node of an unknown kind');
  }
  const leaf = encodePath(path, true);
  if (prefix === leaf) return { value: content };
  // An extension: its digits must be the next ones of the path.
  for (let length = 1; length <= path.length; length += 1) {
    if (prefix === encodePath(path.slice(0, length), false)) {
      return { hash: requireBytes(content, 32), rest: path.slice(length) };
    }
  }
  throw new InvalidProofError('the proof is of another transaction');
}

/** The hash of the node with these entries, which share the digits in `prefix`. Nodes on the way to the target are added. */
function hashNode(entries: readonly Entry[], prefix: string, target: string, nodes: Hex[]): Hex {
  const node = encodeRlp(nodeFields(entries, prefix, target, nodes));
  if (target.startsWith(prefix) && entries.some(({ path }) => path === target)) nodes.push(node);
  return keccak256(node);
}

function nodeFields(entries: readonly Entry[], prefix: string, target: string, nodes: Hex[]): Hex[] {
  const [first, ...others] = entries;
  if (!first) throw new InvalidProofError('the block has no receipts');
  if (others.length === 0) return [encodePath(first.path.slice(prefix.length), true), first.value];
  const shared = sharedPrefix(entries);
  if (shared.length > prefix.length) {
    return [encodePath(shared.slice(prefix.length), false), hashNode(entries, shared, target, nodes)];
  }
  const children = Array.from({ length: BRANCH_CHILDREN }, (_, digit): Hex => {
    const next = `${prefix}${digit.toString(16)}`;
    const below = entries.filter(({ path }) => path.startsWith(next));
    return below.length === 0 ? '0x' : hashNode(below, next, target, nodes);
  });
  return [...children, '0x'];
}

function sharedPrefix([first, ...others]: readonly Entry[]): string {
  let shared = first?.path ?? '';
  for (const { path } of others) while (!path.startsWith(shared)) shared = shared.slice(0, -1);
  return shared;
}

function pathOf(index: number): string {
  return encodeRlp(encodeNumber(`0x${index.toString(16)}`)).slice(2);
}

/** The digits of a leaf or an extension, with their parity and the kind of the node in front. */
function encodePath(digits: string, isLeaf: boolean): Hex {
  const isOdd = digits.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (isOdd ? 1 : 0);
  return `0x${flag}${isOdd ? '' : '0'}${digits}`;
}

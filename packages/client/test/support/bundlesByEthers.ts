// The verification of docs/bundles.md, step by step as written there, with ethers instead of the code of this repository.

import { AbiCoder, decodeRlp, encodeRlp, id, keccak256, type RlpStructuredData, toBeHex, toUtf8Bytes } from 'ethers';

/** A bundle as a stranger reads it. */
export interface ForeignBundle {
  readonly fingerprint: string;
  readonly manifestId: string;
  readonly metadata?: object | undefined;
  readonly chain?:
    | {
        readonly address: string;
        readonly proof: {
          readonly header: string;
          readonly transactionIndex: number;
          readonly receipt: string;
          readonly nodes: readonly string[];
        };
      }
    | undefined;
}

function requireThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

export function proveByEthers({ fingerprint, manifestId, metadata, chain }: ForeignBundle) {
  if (!chain) throw new Error('no proof');
  const { address, proof } = chain;
  const header = requireList(decodeRlp(proof.header));
  const receipt = followPath(requireBytes(header[5]), proof);
  requireThat(receipt === proof.receipt, 'another receipt');
  const typed = Number.parseInt(receipt.slice(2, 4), 16) <= 0x7f;
  const [, , , logs] = requireList(decodeRlp(typed ? `0x${receipt.slice(4)}` : receipt));
  const own = requireList(logs)
    .map((log) => {
      const [emitter, topics, data] = requireList(log);
      return { emitter, topics: requireList(topics).map(requireBytes), data: requireBytes(data) };
    })
    .filter(({ emitter, topics }) => emitter === address && topics[1] === fingerprint);
  const dataOf = (signature: string) => own.find(({ topics }) => topics[0] === id(signature))?.data ?? '0x';
  const abi = AbiCoder.defaultAbiCoder();
  const [, loggedId] = abi.decode(['string[]', 'string'], dataOf('SoftBindingRegistered(bytes32,string[],string)'));
  const [manifestHash] = abi.decode(['bytes32'], dataOf('ManifestRegistered(bytes32,bytes,bytes32)'));
  requireThat(loggedId === manifestId, 'another manifest');
  requireThat(!metadata || keccak256(toUtf8Bytes(sortedJson(metadata))) === manifestHash, 'other metadata');
  return {
    blockHash: keccak256(proof.header),
    blockNumber: Number(requireBytes(header[8])),
    blockTime: new Date(Number(requireBytes(header[11])) * 1000).toISOString(),
  };
}

function followPath(root: string, { transactionIndex, nodes }: NonNullable<ForeignBundle['chain']>['proof']): string {
  let hash = root;
  let path = encodeRlp(transactionIndex === 0 ? '0x' : toBeHex(transactionIndex)).slice(2);
  for (const [position, node] of nodes.entries()) {
    requireThat(keccak256(node) === hash, 'another node');
    const items = requireList(decodeRlp(node));
    if (items.length === 17) {
      hash = requireBytes(items[Number.parseInt(path.charAt(0), 16)]);
      path = path.slice(1);
      continue;
    }
    const compact = requireBytes(items[0]).slice(2);
    const flag = Number.parseInt(compact.charAt(0), 16);
    const digits = compact.slice(flag % 2 === 1 ? 1 : 2);
    requireThat(path.startsWith(digits), 'another path');
    path = path.slice(digits.length);
    hash = requireBytes(items[1]);
    if (flag >= 2) {
      requireThat(path === '' && position === nodes.length - 1, 'not the leaf of this transaction');
      return hash;
    }
  }
  throw new Error('no leaf');
}

function requireList(item: RlpStructuredData | undefined): readonly RlpStructuredData[] {
  if (!Array.isArray(item)) throw new Error('not a list');
  return item;
}

function requireBytes(item: RlpStructuredData | undefined): string {
  if (typeof item !== 'string') throw new Error('not bytes');
  return item;
}

/** RFC 8785 for what metadata has: no numbers with fractions. */
function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sortedJson(member)}`).join(',')}}`;
}

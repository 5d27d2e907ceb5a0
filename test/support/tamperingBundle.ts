// The lies of a forger of bundles: every field changed, removed or replaced by another file's, also when the parts that
// give the lie away are left out, and manifests of another signer.

import { fromRlp, type Hex, hexToBigInt, toHex, toRlp } from 'viem';
import { isObject, listJsonLies } from './tamperingJson.js';
import type { ManifestLie } from './tamperingManifest.js';

export interface BundleLie {
  /** A name such as `/metadata/author/name changed`. */
  readonly name: string;
  readonly bundle: unknown;
}

/** @param schema the declared format of bundles */
export function listBundleLies(
  honest: object,
  others: object,
  schema: unknown,
  manifests: readonly ManifestLie[],
): BundleLie[] {
  const fields = listJsonLies(honest, others, schema).map(({ name, tamper }) => ({ name, bundle: tamper(honest) }));
  const forged = manifests.map(({ name, sidecar }) => ({
    name: `manifest ${name}`,
    bundle: { ...honest, manifest: Buffer.from(sidecar).toString('base64') },
  }));
  const single = [...fields, ...forged, ...listHeaderLies(honest)];
  return [...single, ...without('metadata', single), ...without('chain', single), ...without('log', single)];
}

/** Headers of blocks that do not exist, with another number or time and everything else as it was. */
function listHeaderLies(honest: object): BundleLie[] {
  const chain: unknown = 'chain' in honest ? honest.chain : undefined;
  if (!isObject(chain) || !isObject(chain['proof'])) return [];
  const proof: object = chain['proof'];
  const fields = fromRlp(String(chain['proof']['header']) as Hex, 'hex');
  if (typeof fields === 'string') return [];
  return headerChanges.map(([name, index, difference]) => {
    const value = toHex(hexToBigInt(String(fields[index]) as Hex) + difference);
    const header = toRlp(fields.with(index, value.length % 2 === 0 ? value : `0x0${value.slice(2)}`));
    return { name: `header with ${name}`, bundle: { ...honest, chain: { ...chain, proof: { ...proof, header } } } };
  });
}

/** Changes by position in the header. */
const headerChanges: readonly (readonly [name: string, index: number, difference: bigint])[] = [
  ['another number', 8, 1n],
  ['a time four minutes earlier', 11, -240n],
  ['a time one year earlier', 11, -31_536_000n],
  ['a time one day later', 11, 86_400n],
];

function without(part: string, lies: readonly BundleLie[]): BundleLie[] {
  return lies
    .filter(({ name }) => !name.startsWith(`/${part}`))
    .map(({ name, bundle }) => ({ name: `${name}, no ${part}`, bundle: { ...Object(bundle), [part]: undefined } }));
}

// The DNS record by which the holder of a registry's domain publishes its fingerprint: one more source to compare with,
// though not one that counts alone. The answer is not signed, and the domain is most often the operator's.

import { errorCode } from '../errors.js';

/** Below the host of the registry. Domains of Marks are proven at another label. */
const LABEL = '_provenance';
const KEY = 'registry-fingerprint=';
/** Two attempts with each server, of which a machine has one or two: some seconds in total. */
const ATTEMPT_MS = 1_500;
const ATTEMPTS = 2;

export interface DnsComparison {
  /** Undefined if the host of the registry is an address or this machine: it has no record. */
  readonly name: string | undefined;
  readonly state: 'agrees' | 'differs' | 'none' | 'unavailable';
  /** The fingerprints of the records, as they are. */
  readonly fingerprints: readonly string[];
}

/** Returns the texts of the TXT records at a name; rejects with the codes of `node:dns`. */
export type FindTexts = (name: string) => Promise<string[]>;

/** Several records may exist while roots change: one that agrees is enough. */
export async function compareDnsRecord(
  url: string,
  fingerprint: string,
  findTexts: FindTexts = queryTexts,
): Promise<DnsComparison> {
  const name = await recordName(url);
  if (name === undefined) return { name, state: 'none', fingerprints: [] };
  try {
    const texts = await findTexts(name);
    const fingerprints = texts.flatMap((text) => (text.startsWith(KEY) ? [text.slice(KEY.length).trim()] : []));
    if (fingerprints.length === 0) return { name, state: 'none', fingerprints };
    const isSame = fingerprints.some((found) => found.toLowerCase() === fingerprint);
    return { name, state: isSame ? 'agrees' : 'differs', fingerprints };
  } catch (error) {
    const isMissing = ['ENOTFOUND', 'ENODATA'].includes(errorCode(error) ?? '');
    return { name, state: isMissing ? 'none' : 'unavailable', fingerprints: [] };
  }
}

export function describeDnsComparison({ name, state, fingerprints }: DnsComparison): string {
  if (name === undefined) return 'has no record for an address';
  if (state === 'agrees') return `agrees: ${name} has the same fingerprint`;
  if (state === 'differs') return `differs: ${name} has ${fingerprints.join(' and ')}`;
  return state === 'none' ? `has no record: ${name}` : `could not be asked: ${name}`;
}

async function recordName(url: string): Promise<string | undefined> {
  // Loaded on demand, as all modules of Node that few commands need.
  const { isIP } = await import('node:net');
  const { hostname } = new URL(url);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  if (isAddress || hostname === 'localhost' || hostname.endsWith('.localhost')) return undefined;
  return `${LABEL}.${hostname}`;
}

/** With the servers of the process, which are those of the system. */
async function queryTexts(name: string): Promise<string[]> {
  const { default: dns } = await import('node:dns');
  const resolver = new dns.promises.Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS });
  resolver.setServers(dns.getServers());
  return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
}

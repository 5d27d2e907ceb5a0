// DNS queries with the configured servers. The hosts file of this machine is not used.

import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { OutboundError } from './outboundError.js';

/** Timeout of the first attempt with one server; a lost packet must not cost the whole time. */
const ATTEMPT_MS = 1_500;
const ATTEMPTS = 2;

export interface DnsLookup {
  /** The TXT records, each joined to one text. */
  findTexts(name: string): Promise<string[]>;
  /** All IPv4 and IPv6 addresses; of an address, itself. */
  findAddresses(name: string): Promise<string[]>;
}

/** @param servers undefined: those of the system */
export function openDnsLookup(servers: readonly string[] | undefined, signal: AbortSignal): DnsLookup {
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS });
  if (servers) resolver.setServers(servers);
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });

  return {
    async findTexts(name) {
      const records = await resolver.resolveTxt(name).catch((error: unknown) => {
        throw new OutboundError(describeFailure(error));
      });
      return records.map((parts) => parts.join(''));
    },

    async findAddresses(name) {
      if (isIP(name) !== 0) return [name];
      const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      if (addresses.length > 0) return addresses;
      const failure = results.find((result) => result.status === 'rejected');
      throw new OutboundError(`${name} has no address: ${describeFailure(failure?.reason)}`);
    },
  };
}

function describeFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  if (code === 'ENOTFOUND' || code === 'ENODATA') return 'There is no such record.';
  if (code === 'ETIMEOUT' || code === 'ECANCELLED') return 'The name servers did not answer in time.';
  return `The name servers answered with an error (${code}).`;
}

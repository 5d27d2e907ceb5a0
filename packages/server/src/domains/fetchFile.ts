// Fetches a small file from a stranger's web server: only over https with a valid certificate, only from public addresses,
// and only from the addresses that were checked.

import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { isLoopback, isPublicAddress } from './addresses.js';
import type { DnsLookup } from './dnsLookup.js';
import { DomainCheckError } from './domainCheckError.js';

/** Room for hundreds of Marks. */
const MAX_BYTES = 16_384;
/** From the domain to its `www`, and to another path there. */
const MAX_REDIRECTS = 3;

const redirects = new Set([301, 302, 303, 307, 308]);

export interface FetchOptions {
  readonly lookup: DnsLookup;
  readonly signal: AbortSignal;
  /** Loopback addresses are allowed, at this port. */
  readonly loopbackPort: number | undefined;
}

export async function fetchFile(domain: string, path: string, options: FetchOptions): Promise<Buffer> {
  let url = new URL(path, `https://${domain}`);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await send(url, await findSafeAddresses(url.hostname, options), options);
    try {
      const { statusCode = 0, headers } = response;
      if (!redirects.has(statusCode)) {
        if (statusCode !== 200) throw new DomainCheckError(`The server answered with status ${statusCode}.`);
        return await readBody(response, options.signal);
      }
      url = followRedirect(url, headers.location ?? '', domain);
    } finally {
      response.destroy();
    }
  }
  throw new DomainCheckError(`There are more than ${MAX_REDIRECTS} redirects.`);
}

/** Fails if any address is not public: which of them a connection would use is up to chance. */
async function findSafeAddresses(host: string, { lookup, loopbackPort }: FetchOptions): Promise<string[]> {
  const addresses = await lookup.findAddresses(host);
  const isAllowed = (address: string) =>
    isPublicAddress(address) || (loopbackPort !== undefined && isLoopback(address));
  if (addresses.every(isAllowed)) return addresses;
  throw new DomainCheckError(`${host} has an address that is not public.`);
}

function send(url: URL, addresses: readonly string[], options: FetchOptions): Promise<IncomingMessage> {
  const { signal, loopbackPort } = options;
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  /** Instead of another query, whose answer could differ from the one that was checked. */
  const lookup: LookupFunction = (_host, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({
      host: url.hostname,
      servername: url.hostname,
      port: loopbackPort ?? 443,
      path: `${url.pathname}${url.search}`,
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'provenance-registry' },
      // A connection of its own, without a proxy.
      agent: false,
      lookup,
      signal,
      // Also when the environment says otherwise.
      rejectUnauthorized: true,
    });
    outgoing.once('response', resolve);
    outgoing.once('error', (error) => reject(describeError(error, signal)));
    outgoing.end();
  });
}

/** To the domain itself, or below it: others do not speak for it. */
function followRedirect(from: URL, location: string, domain: string): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isOwn = url && (url.hostname === domain || url.hostname.endsWith(`.${domain}`));
  if (!isOwn || url.protocol !== 'https:' || url.port !== '' || url.username !== '' || url.password !== '') {
    throw new DomainCheckError('The server redirects elsewhere than to an https address of the domain.');
  }
  return url;
}

async function readBody(response: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new DomainCheckError(`It is larger than ${MAX_BYTES} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw describeError(error, signal);
  }
  return Buffer.concat(chunks);
}

function describeError(error: unknown, signal: AbortSignal): Error {
  if (error instanceof DomainCheckError) return error;
  if (signal.aborted) return new DomainCheckError('The server did not answer in time.');
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new DomainCheckError(`The server could not be reached safely (${code}).`);
}

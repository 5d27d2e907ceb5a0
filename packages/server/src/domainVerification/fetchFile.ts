// Fetches a small file from an untrusted web server: only over https with a valid certificate, only from public addresses,
// and only from the addresses that were checked.

import type { IncomingMessage } from 'node:http';
import type { DnsLookup } from '../outbound/dnsLookup.js';
import { describeFailure, findSafeAddresses, sendRequest } from '../outbound/safeRequest.js';
import { DomainCheckError } from './domainCheckError.js';

/** Room for hundreds of Marks. */
const MAX_BYTES = 16_384;
/** Enough to go from the domain to its `www`, and to another path there. */
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
    const response = await send(url, options);
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

async function send(url: URL, { lookup, signal, loopbackPort }: FetchOptions): Promise<IncomingMessage> {
  const addresses = await findSafeAddresses(url.hostname, lookup, { allowsLoopback: loopbackPort !== undefined });
  const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
  return sendRequest(url, { method: 'GET', port: loopbackPort ?? 443, addresses, headers, signal });
}

/** Follows a redirect to the domain itself or below it: others do not speak for it. */
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
    throw error instanceof DomainCheckError ? error : describeFailure(error, signal);
  }
  return Buffer.concat(chunks);
}

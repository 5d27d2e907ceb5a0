// One request to a server that a user named: only to public addresses, only to those that were checked, https with a valid
// certificate. Redirects are responses like any other.

import { type Agent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import { isLoopback, isPublicAddress } from './addresses.js';
import type { DnsLookup } from './dnsLookup.js';
import { OutboundError, PrivateAddressError } from './outboundError.js';

export interface SafeRequest {
  readonly method: 'GET' | 'POST';
  readonly port: number;
  /** Those that were checked. */
  readonly addresses: readonly string[];
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Keeps connections for requests to one URL; a connection for this request alone by default. */
  readonly agent?: Agent;
}

/** Fails if any address is not public: which of them a connection would use is up to chance. */
export async function findSafeAddresses(
  host: string,
  lookup: DnsLookup,
  { allowsLoopback }: { readonly allowsLoopback: boolean },
): Promise<string[]> {
  const addresses = await lookup.findAddresses(host);
  if (addresses.every((address) => isPublicAddress(address) || (allowsLoopback && isLoopback(address))))
    return addresses;
  throw new PrivateAddressError(`${host} has an address that is not public.`);
}

/** Uses TLS, except for an `http:` URL, which callers allow for loopback addresses alone. */
export function sendRequest(url: URL, options: SafeRequest): Promise<IncomingMessage> {
  const { addresses, headers, body, signal, agent, method, port } = options;
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  /** Instead of another query, whose answer could differ from the one that was checked. */
  const lookup: LookupFunction = (_host, { all }, callback) => {
    if (all) callback(null, found);
    else callback(null, found[0]?.address ?? '', found[0]?.family);
  };
  const host = hostOf(url);
  const common = {
    host,
    port,
    path: `${url.pathname}${url.search}`,
    method,
    headers: { 'user-agent': 'provenance-registry', ...headers },
    // Without a proxy, whatever the environment says.
    agent: agent ?? false,
    lookup,
    signal,
  };
  return new Promise((resolve, reject) => {
    const outgoing =
      url.protocol === 'http:'
        ? httpRequest(common)
        : // Also when the environment says otherwise. Addresses are no server names.
          httpsRequest({ ...common, ...(isName(host) && { servername: host }), rejectUnauthorized: true });
    outgoing.once('response', resolve);
    outgoing.once('error', (error) => {
      // The server closed an idle connection while this request was on its way.
      const isRetryable = outgoing.reusedSocket && !signal.aborted;
      if (isRetryable) sendRequest(url, options).then(resolve, reject);
      else reject(describeFailure(error, signal));
    });
    outgoing.end(body);
  });
}

/** Returns the host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

export function describeFailure(error: unknown, signal: AbortSignal): Error {
  if (error instanceof OutboundError) return error;
  if (signal.aborted) return new OutboundError('The server did not answer in time.');
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new OutboundError(`The server could not be reached safely (${code}).`);
}

function isName(host: string): boolean {
  return !/^[0-9.]+$/.test(host) && !host.includes(':');
}

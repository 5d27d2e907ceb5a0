// Where webhooks send events: which addresses are allowed, and connections to them.

import { Agent as HttpAgent, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import type { WebhookTargets } from '../domain/ports/index.js';
import { isLoopback, isPublicAddress } from '../outbound/addresses.js';
import { openDnsLookup } from '../outbound/dnsLookup.js';
import { OutboundError, PrivateAddressError } from '../outbound/outboundError.js';
import { findSafeAddresses, hostOf, sendRequest } from '../outbound/safeRequest.js';

/** The time from the query for the address to the status of the response. */
const REQUEST_MS = 10_000;
/** Timeout of checking a URL that a user enters: a name that cannot be resolved now may be later. */
const CHECK_MS = 3_000;
/** What is read of a response's body, and for how long, so that the next event can use the connection. */
const MAX_BODY_BYTES = 4_096;
const BODY_MS = 500;
const HTTPS_PORT = 443;
/** Below are the ports of other protocols. */
const MIN_OTHER_PORT = 1_024;

export interface TargetOptions {
  /** `address` or `address:port`; undefined: those of the system. */
  readonly dnsServers: readonly string[] | undefined;
  /** Loopback addresses are allowed, at any port and without TLS. */
  readonly allowsLoopback: boolean;
}

/** Connections for some events of one webhook, one at a time. The address is looked up and checked once. */
export interface TargetConnection {
  /** The status of the response, and the start of its body. Throws an OutboundError when there is none. */
  send(
    headers: OutgoingHttpHeaders,
    body: string,
    stop: AbortSignal,
    bodyMs?: number,
  ): Promise<{ readonly status: number; readonly text: string }>;
  close(): void;
}

export interface ConnectingTargets extends WebhookTargets {
  connect(url: string): TargetConnection;
}

export function createWebhookTargets({ dnsServers, allowsLoopback }: TargetOptions): ConnectingTargets {
  async function findAddresses(url: URL, signal: AbortSignal): Promise<string[]> {
    const host = hostOf(url);
    // Never in DNS.
    if (allowsLoopback && host === 'localhost') return ['127.0.0.1', '::1'];
    return findSafeAddresses(host, openDnsLookup(dnsServers, signal), { allowsLoopback });
  }

  return {
    async check(text) {
      try {
        const url = parseTarget(text, allowsLoopback);
        if (isIP(hostOf(url)) === 0) await refusePrivateName(url, findAddresses);
        return { url: url.href };
      } catch (error) {
        if (error instanceof OutboundError) return { problem: error.message };
        throw error;
      }
    },

    connect(text) {
      const options = { keepAlive: true, maxSockets: 1 };
      const agent = text.startsWith('http:') ? new HttpAgent(options) : new HttpsAgent(options);
      let addresses: string[] | undefined;
      return {
        async send(headers, body, stop, bodyMs = BODY_MS) {
          const signal = AbortSignal.any([stop, AbortSignal.timeout(REQUEST_MS)]);
          // Again: the setting may have changed since.
          const url = parseTarget(text, allowsLoopback);
          addresses ??= await findAddresses(url, signal);
          const port = Number(url.port) || (url.protocol === 'http:' ? 80 : HTTPS_PORT);
          const response = await sendRequest(url, { method: 'POST', port, addresses, headers, body, signal, agent });
          return { status: response.statusCode ?? 0, text: await readStart(response, bodyMs) };
        },
        close: () => agent.destroy(),
      };
    },
  };
}

/** A name without an address is allowed: it may get one, and the deliveries tell. */
async function refusePrivateName(url: URL, find: (url: URL, signal: AbortSignal) => Promise<unknown>): Promise<void> {
  await find(url, AbortSignal.timeout(CHECK_MS)).catch((error: unknown) => {
    if (error instanceof PrivateAddressError || !(error instanceof OutboundError)) throw error;
  });
}

function parseTarget(text: string, allowsLoopback: boolean): URL {
  if (!URL.canParse(text)) throw new OutboundError('It is not a URL.');
  const url = new URL(text);
  url.hash = '';
  const host = hostOf(url);
  const isLocal = host === 'localhost' || (isIP(host) !== 0 && isLoopback(host));
  if (url.username !== '' || url.password !== '') {
    throw new OutboundError('It contains a user name or password. Signatures show where a request comes from.');
  }
  if (isLocal && allowsLoopback) return url;
  if (url.protocol !== 'https:') throw new OutboundError('It does not start with https://.');
  if (isLocal || (isIP(host) !== 0 && !isPublicAddress(host))) throw new OutboundError(`${host} is not public.`);
  const port = Number(url.port) || HTTPS_PORT;
  if (port !== HTTPS_PORT && port < MIN_OTHER_PORT) {
    throw new OutboundError(`Port ${port} is neither ${HTTPS_PORT} nor above ${MIN_OTHER_PORT - 1}.`);
  }
  return url;
}

/** A body that is long or slow costs the connection, not the delivery. */
async function readStart(response: IncomingMessage, bodyMs: number): Promise<string> {
  const timer = setTimeout(() => response.destroy(), bodyMs);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BODY_BYTES) break;
    }
  } catch {
    // Cut off, by either side.
  } finally {
    clearTimeout(timer);
    response.destroy();
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8');
}

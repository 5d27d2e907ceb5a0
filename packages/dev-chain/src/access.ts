// Decides which HTTP requests reach the development chain. Any web page that a browser on this machine shows can send
// requests to a loopback port; only the service's own page may.

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface AccessOptions {
  /** The one origin whose pages may call; without it, none may. Programs send no Origin and may always call. */
  readonly origin?: string | undefined;
  /** The password of the service's own calls, which untrusted calls do not delay; without it, every caller is untrusted. */
  readonly token?: string | undefined;
}

export type Access =
  | { readonly isAllowed: false; readonly status: 403 | 415; readonly reason: string }
  | { readonly isAllowed: true; readonly isOwn: boolean; readonly headers: Readonly<Record<string, string>> };

/** The user name in the URLs of the service's own calls. */
const OWN_USER = 'service';

/**
 * The name in a request's Host field is the one in the URL. A page of a host whose DNS entry was changed to 127.0.0.1
 * still sends its own name. The port may be that of a proxy.
 */
const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;
/** A page can send other types to any origin without asking first. */
const jsonType = /^application\/json\s*(;|$)/i;

export function checkAccess(request: IncomingMessage, { origin, token }: AccessOptions): Access {
  const { host = '', origin: pageOrigin, authorization, 'content-type': type = '' } = request.headers;
  if (!loopbackHost.test(host)) {
    return refuse(403, 'The Host of a request must be 127.0.0.1, localhost or [::1].');
  }
  if (pageOrigin !== undefined && pageOrigin !== origin) {
    return refuse(403, 'Pages of other origins may not use this chain.');
  }
  if (request.method === 'POST' && !jsonType.test(type)) {
    return refuse(415, 'The Content-Type of a request must be application/json.');
  }
  const headers = pageOrigin === undefined ? {} : { 'access-control-allow-origin': pageOrigin, vary: 'Origin' };
  return { isAllowed: true, isOwn: token !== undefined && isOwnCall(authorization, token), headers };
}

/** The URL for the service's own calls. */
export function ownUrl(url: string, token: string): string {
  return url.replace('//', `//${OWN_USER}:${encodeURIComponent(token)}@`);
}

function isOwnCall(authorization: string | undefined, token: string): boolean {
  const expected = Buffer.from(`Basic ${Buffer.from(`${OWN_USER}:${token}`).toString('base64')}`);
  const received = Buffer.from(authorization ?? '');
  return received.length === expected.length && timingSafeEqual(received, expected);
}

function refuse(status: 403 | 415, reason: string): Access {
  return { isAllowed: false, status, reason };
}

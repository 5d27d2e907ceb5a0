// Where a call comes from: the client's address and agent, whether the client is still there, and headers for it.

import { isIP } from 'node:net';
import { RegistryError } from '@provenance-registry/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Origin } from '../domain/caller.js';
import type { FairLimit } from '../workers/fairLimit.js';

/** Longer than those of browsers. */
const MAX_USER_AGENT_LENGTH = 255;

interface TurnOptions {
  /** 1 by default. */
  readonly weight?: number;
  /** Ends the turn if the request has not arrived after this time. */
  readonly receiveMs?: number;
}

export class CallOrigin implements Origin {
  #controller: AbortController | undefined;
  #leaveTurn: ((wait: () => Promise<void>) => Promise<void>) | undefined;

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
  ) {}

  /** The whole address. */
  get address(): string {
    return addressOf(this.request);
  }

  get userAgent(): string | null {
    const printable = this.request.headers['user-agent']?.replace(/[^\x20-\x7e]/g, '');
    return printable?.slice(0, MAX_USER_AGENT_LENGTH) || null;
  }

  /** What budgets of operations count by that need no credentials. */
  get client(): string {
    return clientOf(this.request);
  }

  /** The account, if there is one, otherwise the address. */
  get payer(): string {
    return this.request.caller?.user.id ?? this.client;
  }

  /** Aborted when the response is of no use any more. Fastify's own signal is aborted as soon as the body is read. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      const { raw } = this.reply;
      const leave = () => this.abort(new RegistryError('BAD_REQUEST', 'The client closed the connection.'));
      if (raw.destroyed) leave();
      else raw.once('close', leave);
    }
    return this.#controller.signal;
  }

  /** Headers of the response, beside those that follow from the operation. */
  setHeaders(headers: Readonly<Record<string, string>>): void {
    this.reply.headers(headers);
  }

  /** Runs the work in a turn, which others have while it waits by `giveWay`. */
  async runInTurn<T>(limit: FairLimit, work: () => Promise<T>): Promise<T> {
    const takeTurn = () => limit.acquire({ client: this.payer, signal: this.signal });
    let endTurn = await takeTurn();
    this.#leaveTurn = async (wait) => {
      endTurn();
      await wait();
      endTurn = await takeTurn();
    };
    try {
      return await work();
    } finally {
      this.#leaveTurn = undefined;
      endTurn();
    }
  }

  /** Waits, while others have the turn of the work, if that runs in one. */
  readonly giveWay = (wait: () => Promise<void>): Promise<void> => (this.#leaveTurn ? this.#leaveTurn(wait) : wait());

  /** Waits for a turn, which lasts until the response is sent or the client has gone. */
  async takeTurn(limit: FairLimit, { weight = 1, receiveMs }: TurnOptions = {}): Promise<void> {
    const release = await limit.acquire({ client: this.payer, weight, signal: this.signal });
    const endIfSlow = () => {
      if (!this.request.raw.complete) release();
    };
    const timer = receiveMs === undefined ? undefined : setTimeout(endIfSlow, receiveMs);
    const end = () => {
      clearTimeout(timer);
      release();
    };
    if (this.reply.raw.destroyed) end();
    else this.reply.raw.once('close', end);
  }

  abort(reason: RegistryError): void {
    this.#controller?.abort(reason);
  }
}

/** Groups of an IPv6 address that tell clients apart: one subscriber or server usually has all the rest. */
const NETWORK_GROUPS = 4;

/** Behind a trusted proxy the address that the proxy states, otherwise that of the connection. */
function addressOf({ ip, raw }: Pick<FastifyRequest, 'ip' | 'raw'>): string {
  // A proxy may pass on whatever its client sent.
  const address = isIP(ip) ? ip : (raw.socket.remoteAddress ?? '');
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** IPv6 counts by /64. */
export function clientOf(request: Pick<FastifyRequest, 'ip' | 'raw'>): string {
  const address = addressOf(request);
  return isIP(address) === 6 ? `${expandGroups(address).slice(0, NETWORK_GROUPS).join(':')}::/64` : address;
}

function expandGroups(address: string): string[] {
  // Equal addresses have one form in a URL. A zone (fe80::1%eth0) is not part of the address.
  const { hostname } = new URL(`http://[${address.replace(/%.*/, '')}]`);
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after];
}

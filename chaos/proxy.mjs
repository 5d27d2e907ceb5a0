// A TCP proxy that stands before a server and makes its line bad: cut, silent or slow.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** @typedef {import('node:net').Socket} Socket */
/** @typedef {Awaited<ReturnType<typeof startProxy>>} Proxy */

/**
 * Passes each connection on to the first of the targets that takes it, beginning with another one each time.
 * @param {readonly number[]} targets ports of this machine
 */
export async function startProxy(targets) {
  /** @type {Set<{ near: Socket, far: Socket | undefined }>} */
  const pairs = new Set();
  let turn = 0;
  let isCut = false;
  let isSilent = false;
  let slowMs = 0;
  /** Told when a silent line speaks again. @type {(() => void)[]} */
  let waiting = [];

  const server = createServer((near) => {
    const pair = { near, far: /** @type {Socket | undefined} */ (undefined) };
    pairs.add(pair);
    near.on('error', () => {});
    near.once('close', () => {
      pair.far?.destroy();
      pairs.delete(pair);
    });
    if (isCut) return void near.resetAndDestroy();
    turn += 1;
    reach(pair, targets.length);
  });

  /**
   * @param {{ near: Socket, far: Socket | undefined }} pair
   * @param {number} attempts
   */
  function reach(pair, attempts) {
    const target = targets[(turn + attempts) % targets.length] ?? 0;
    const far = connect(target, '127.0.0.1');
    far.on('error', () => {});
    const refused = () => {
      if (attempts > 1 && !pair.near.destroyed) reach(pair, attempts - 1);
      else pair.near.resetAndDestroy();
    };
    far.once('error', refused);
    far.once('connect', () => {
      far.off('error', refused);
      if (pair.near.destroyed) return void far.destroy();
      pair.far = far;
      far.once('close', () => pair.near.destroy());
      pass(pair.near, far);
      pass(far, pair.near);
    });
  }

  async function patience() {
    if (isSilent) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
  }

  /**
   * In order, one piece at a time, so that a slow line holds back whoever sends.
   * @param {Socket} from
   * @param {Socket} to
   */
  async function pass(from, to) {
    try {
      for await (const chunk of from) {
        await patience();
        if (to.destroyed) return;
        if (!to.write(chunk)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
      }
      to.end();
    } catch {
      to.destroy();
    }
  }

  function reset() {
    for (const { near } of pairs) near.resetAndDestroy();
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    /** Every connection of this moment breaks. */
    reset,
    /** They break, and no new one gets through. */
    cut() {
      isCut = true;
      reset();
    },
    /** Connections stand, and nothing comes through: it comes when the line is open again. */
    silence() {
      isSilent = true;
    },
    /** Each piece takes so long. @param {number} ms */
    slow(ms) {
      slowMs = ms;
    },
    open() {
      isCut = false;
      isSilent = false;
      slowMs = 0;
      const late = waiting;
      waiting = [];
      for (const speak of late) speak();
    },
    async close() {
      this.open();
      reset();
      server.close();
      await once(server, 'close');
    },
  };
}

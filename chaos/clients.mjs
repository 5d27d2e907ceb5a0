// People who use the service while it is tortured: with the SDK and with plain HTTP, each on an account of their own. Who
// gets no answer asks again with the same key, or gives up; the ledger has what was answered.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, createClient, ServiceUnreachableError } from '@provenance-registry/client';
import { SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';

/** @typedef {import('./ledger.mjs').Creation} Creation */
/** @typedef {import('./ledger.mjs').Ledger} Ledger */
/** @typedef {import('./random.mjs').Random} Random */
/** @typedef {{ name: string, credential: string, markIds: readonly [string, ...string[]] }} Account */
/** @typedef {{ status: number, body: Record<string, unknown> }} Answer */

/** A line that says nothing for so long is given up. */
const PATIENCE_MS = 20_000;
/** Who got no answer does not ask again at once. */
const PAUSE_MS = 300;
/** People look at what they got before they go on. */
const LONGEST_THOUGHT_MS = 250;
/** As in a race, and not one after the other. */
const RACERS = 3;
const CREATIONS_WITH_A_FILE = 0.3;
const GIVEN_UP = 0.2;

/**
 * Accounts of every kind, made while all is well.
 * @param {string} url
 * @returns {Promise<Account[]>}
 */
export async function openAccounts(url) {
  const run = randomUUID().slice(0, 8);
  /**
   * @param {string} name
   * @param {'free' | 'creator' | 'enterprise'} tier
   */
  async function person(name, tier) {
    const account = { email: `${name}-${run}@example.com`, password: 'correct horse battery', name };
    const { token } = await createClient({ baseUrl: url }).signUp(account);
    const client = createClient({ baseUrl: url, credential: token });
    await client.putSubscription({ tier });
    return { client, token };
  }
  /** @param {string} name @param {'free' | 'creator' | 'enterprise'} tier @returns {Promise<Account>} */
  async function withMarks(name, tier) {
    const { client, token } = await person(name, tier);
    const open = await client.createMark({ name: `${name}, open` });
    const second = await client.createMark({
      name: `${name}, second`,
      visibility: tier === 'free' ? 'public' : 'private',
    });
    return { name, credential: token, markIds: [open.id, second.id] };
  }
  /** @returns {Promise<Account>} */
  async function withKey() {
    const { client } = await person('studio', 'enterprise');
    const { id: organizationId } = await client.createOrganization({ name: 'Studio' });
    const { id } = await client.createMark({ name: 'Studio', organizationId });
    const { token } = await client.createApiKey({ organizationId, name: 'torture' });
    return { name: 'studio', credential: token, markIds: [id] };
  }
  const people = /** @type {const} */ ([
    ['ada', 'enterprise'],
    ['bea', 'enterprise'],
    ['cleo', 'enterprise'],
    ['dora', 'creator'],
    ['free', 'free'],
  ]);
  return [...(await Promise.all(people.map(([name, tier]) => withMarks(name, tier)))), await withKey()];
}

/**
 * @param {object} world
 * @param {string} world.url
 * @param {Ledger} world.ledger
 * @param {readonly Account[]} world.accounts
 */
export function openClients({ url, ledger, accounts }) {
  let isOver = false;
  const ending = new AbortController();

  /**
   * Undefined: no answer, or one that says to come again.
   * @param {string} method
   * @param {string} path
   * @param {{ account?: Account, body?: object | FormData, key?: string }} [options]
   * @returns {Promise<Answer | undefined>}
   */
  async function call(method, path, { account, body, key } = {}) {
    ledger.counts.requests += 1;
    const isForm = body instanceof FormData;
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(account && { authorization: `Bearer ${account.credential}` }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(body && !isForm && { 'content-type': 'application/json' }),
        },
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), ending.signal]),
      });
      const text = await response.text();
      return sorted(method, path, response.status, text.startsWith('{') ? JSON.parse(text) : {});
    } catch {
      ledger.counts.unanswered += 1;
      return undefined;
    }
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {number} status
   * @param {Record<string, unknown>} body
   */
  function sorted(method, path, status, body) {
    if (status === 503) ledger.counts.unavailable += 1;
    else ledger.counts.answered += 1;
    if (status >= 500) {
      if (status !== 503) ledger.complain('strange', `${method} ${path}: ${status} ${JSON.stringify(body)}`);
      return undefined;
    }
    return { status, body };
  }

  /**
   * The same by the SDK, which asks again by itself.
   * @param {string} name
   * @param {() => Promise<object>} work
   * @returns {Promise<Answer | undefined>}
   */
  async function bySdk(name, work) {
    ledger.counts.requests += 1;
    try {
      const body = { ...(await work()) };
      return sorted('SDK', name, 200, body);
    } catch (error) {
      if (error instanceof ApiError) return sorted('SDK', name, error.status, { code: error.code });
      if (!(error instanceof ServiceUnreachableError) && !ending.signal.aborted) {
        ledger.complain('strange', `SDK ${name}: ${error}`);
      }
      ledger.counts.unanswered += 1;
      return undefined;
    }
  }

  /** @param {Account} account */
  const sdkOf = (account) => createClient({ baseUrl: url, credential: account.credential, signal: ending.signal });

  /**
   * @param {Creation} creation
   * @param {boolean} withSdk
   */
  function send(creation, withSdk) {
    const { account, key, markId, fingerprint, content, previous } = creation;
    const fields = { markId, fingerprint, filename: 'photo.jpg', previousFingerprint: previous };
    if (withSdk) {
      const file = content && new Blob([content]);
      const options = { idempotencyKey: key };
      const client = sdkOf(account);
      return bySdk('create', () =>
        file ? client.createManifest({ ...fields, file }, options) : client.createArtifact(fields, options),
      );
    }
    if (!content) return call('POST', '/api/v1/artifacts', { account, key, body: fields });
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
    form.set('file', new Blob([content]), 'photo.jpg');
    return call('POST', '/api/c2pa/manifests', { account, key, body: form });
  }

  /**
   * @param {Creation} creation
   * @param {Answer} answer
   */
  function settle(creation, { status, body }) {
    const id = body['id'] ?? body['manifestId'];
    if (typeof id === 'string') return ledger.created(creation, id);
    const isTaken = body['code'] === 'CONFLICT' && creation.isRaced;
    if (!isTaken && body['code'] !== 'TIER_RESTRICTION') {
      ledger.complain('strange', `creation of ${creation.fingerprint}: ${status} ${JSON.stringify(body)}`);
    }
    creation.isTaken = isTaken;
    ledger.refused(creation);
  }

  /**
   * @param {Creation} creation
   * @param {Random} random
   */
  async function create(creation, random) {
    ledger.creations.push(creation);
    let answer = await send(creation, random.chance(0.4));
    if (!answer && random.chance(GIVEN_UP)) return;
    while (!answer && !ending.signal.aborted) {
      await delay(PAUSE_MS);
      answer = await send(creation, random.chance(0.2));
    }
    if (answer) settle(creation, answer);
    else ledger.complain('stuck', `no answer about ${creation.fingerprint}`);
  }

  /**
   * @param {Account} account
   * @param {Random} random
   * @returns {Creation}
   */
  function newCreation(account, random) {
    const content = random.chance(CREATIONS_WITH_A_FILE)
      ? new Uint8Array(randomBytes(1 + random.below(50_000)))
      : undefined;
    const previous = random.chance(0.1) ? someKnown(random)?.fingerprint : undefined;
    return {
      fingerprint: `0x${content ? createHash('sha256').update(content).digest('hex') : randomBytes(32).toString('hex')}`,
      key: randomUUID(),
      account,
      markId: random.pick(account.markIds),
      isRaced: false,
      content,
      previous,
      id: undefined,
      isTaken: false,
      visibility: 'public',
    };
  }

  /** @param {Random} random */
  function someKnown(random) {
    const { creations } = ledger;
    // The youngest are those that something may have happened to.
    const from = random.chance(0.5) ? Math.max(0, creations.length - 50) : 0;
    const one = creations[from + random.below(creations.length - from)];
    return one?.id === undefined ? undefined : one;
  }

  /** @type {readonly [number, (account: Account, random: Random) => Promise<unknown>][]} */
  const actions = [
    [0.5, (account, random) => create(newCreation(account, random), random)],
    [0.1, race],
    [0.12, (_, random) => lookUp(someKnown(random))],
    [0.1, askAgain],
    [0.08, waitForChain],
    [0.07, changeVisibility],
    [0.03, makeMark],
  ];

  /**
   * Several people, or one person several times, with the same file at the same moment.
   * @param {Account} account
   * @param {Random} random
   */
  async function race(account, random) {
    const first = { ...newCreation(account, random), isRaced: true };
    const others = Array.from({ length: RACERS - 1 }, () => {
      const other = accounts[random.below(accounts.length)] ?? account;
      return { ...first, key: randomUUID(), account: other, markId: random.pick(other.markIds) };
    });
    await Promise.all([first, ...others].map((creation) => create(creation, random)));
  }

  /** @param {Creation | undefined} known */
  async function lookUp(known) {
    if (!known) return;
    const value = encodeURIComponent(Buffer.from(known.fingerprint.slice(2), 'hex').toString('base64'));
    const answer = await call('GET', `/api/c2pa/matches/byBinding?alg=${SOFT_BINDING_ALGORITHM}&value=${value}`);
    if (answer && JSON.stringify(answer.body['matches'] ?? '').includes(known.id ?? '') === false) {
      ledger.complain(
        'lost',
        `${known.id} was answered, and a lookup says ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    }
  }

  /**
   * @param {Account} _account
   * @param {Random} random
   */
  async function askAgain(_account, random) {
    const known = someKnown(random);
    if (!known) return;
    const answer = await send(known, false);
    if (answer) settle(known, answer);
  }

  /**
   * @param {Account} account
   * @param {Random} random
   */
  async function waitForChain(account, random) {
    const known = someKnown(random);
    if (!known) return;
    const path = `/api/v1/artifacts/${known.fingerprint}?wait=${1 + random.below(5)}`;
    const answer = await call('GET', path, { account });
    if (answer && answer.body['id'] !== known.id) {
      ledger.complain(
        'lost',
        `${known.id} was answered, and reading it says ${answer.status} ${JSON.stringify(answer.body)}`,
      );
    }
  }

  /**
   * @param {Account} account
   * @param {Random} random
   */
  async function changeVisibility(account, random) {
    const known = someKnown(random);
    if (known?.account !== account || account.name === 'studio') return;
    if (known.visibility === 'unknown') return;
    const contentVisibility = random.pick(/** @type {const} */ (['public', 'private']));
    // A change without an answer may come at any time, also after later ones.
    known.visibility = 'unknown';
    const path = `/api/v1/artifacts/${known.fingerprint}/visibility`;
    const answer = await call('PUT', path, { account, body: { contentVisibility } });
    if (answer?.status === 200) known.visibility = contentVisibility;
  }

  /**
   * @param {Account} account
   * @param {Random} random
   */
  async function makeMark(account, random) {
    if (account.name === 'studio' || account.name === 'free') return;
    const body = { name: `Mark ${random.below(1_000_000)}` };
    const answer = await call('POST', '/api/v1/marks', { account, body });
    const id = answer?.body['id'];
    if (typeof id === 'string') ledger.marks.push({ id, account });
  }

  /**
   * @param {Account} account
   * @param {Random} random
   */
  async function work(account, random) {
    while (!isOver) {
      let left = random.next();
      const [, act] = actions.find(([share]) => {
        left -= share;
        return left < 0;
      }) ?? [0, race];
      await act(account, random);
      await delay(random.below(LONGEST_THOUGHT_MS));
    }
  }

  /** @type {Promise<unknown>} */
  let working = Promise.resolve();
  return {
    lookUp,
    /** Until `finish`. @param {number} count @param {(name: string) => Random} randomFor */
    begin(count, randomFor) {
      const everybody = Array.from({ length: count }, (_, index) => ({
        account: accounts[index % accounts.length],
        index,
      }));
      working = Promise.all(
        everybody.flatMap(({ account, index }) => (account ? [work(account, randomFor(`client ${index}`))] : [])),
      );
      // Whoever finishes with them is told.
      working.catch(() => {});
    },
    /** What is under way is brought to its end, but not for longer than that. @param {number} patienceMs */
    async finish(patienceMs) {
      isOver = true;
      const timer = setTimeout(() => ending.abort(new Error('no time is left')), patienceMs);
      await working;
      clearTimeout(timer);
    },
  };
}

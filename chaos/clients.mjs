// Clients that use the service during the faults, through the SDK and plain HTTP. A request without a response is retried
// with the same idempotency key or given up; the ledger records every response.

import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, createClient, ServiceUnreachableError } from '@provenance-registry/client';
import { SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';

/** @typedef {import('./ledger.mjs').Creation} Creation */
/** @typedef {import('./ledger.mjs').Ledger} Ledger */
/** @typedef {import('./random.mjs').Random} Random */
/** @typedef {{ name: string, credential: string, markIds: readonly [string, ...string[]] }} Account */
/** @typedef {{ status: number, body: Record<string, unknown> }} ApiResponse */

const REQUEST_TIMEOUT_MS = 20_000;
const RETRY_DELAY_MS = 300;
const MAX_THINK_TIME_MS = 250;
/** Concurrent creations of one fingerprint. */
const RACING_REQUESTS = 3;
const UPLOAD_PROBABILITY = 0.3;
/** Of the uploads: images that are returned signed. */
const IMAGE_PROBABILITY = 0.3;
const GIVE_UP_PROBABILITY = 0.2;

/** Creates accounts of every tier, before the faults begin. @param {string} url @returns {Promise<Account[]>} */
export async function createAccounts(url) {
  /** @param {string} name @param {'free' | 'creator' | 'enterprise'} tier */
  async function signUp(name, tier) {
    const account = { email: `${name}@example.com`, password: 'correct horse battery', name };
    const { token } = await createClient({ baseUrl: url }).signUp(account);
    const client = createClient({ baseUrl: url, credential: token });
    await client.putSubscription({ tier });
    return { client, token };
  }
  /** @param {string} name @param {'free' | 'creator' | 'enterprise'} tier @returns {Promise<Account>} */
  async function createPersonalAccount(name, tier) {
    const { client, token } = await signUp(name, tier);
    const first = await client.createMark({ name: `${name}, first` });
    const second = await client.createMark({
      name: `${name}, second`,
      visibility: tier === 'free' ? 'public' : 'private',
    });
    return { name, credential: token, markIds: [first.id, second.id] };
  }
  /** @returns {Promise<Account>} */
  async function createKeyAccount() {
    const { client } = await signUp('studio', 'enterprise');
    const { id: organizationId } = await client.createOrganization({ name: 'Studio' });
    const { id } = await client.createMark({ name: 'Studio', organizationId });
    const { token } = await client.createApiKey({ organizationId, name: 'chaos' });
    return { name: 'studio', credential: token, markIds: [id] };
  }
  const users = /** @type {const} */ ([
    ['ada', 'enterprise'],
    ['bea', 'enterprise'],
    ['cleo', 'enterprise'],
    ['dora', 'creator'],
    ['free', 'free'],
  ]);
  return [
    ...(await Promise.all(users.map(([name, tier]) => createPersonalAccount(name, tier)))),
    await createKeyAccount(),
  ];
}

const imageStart = '<svg xmlns="http://www.w3.org/2000/svg" ';

/** @param {Random} random @returns {Uint8Array<ArrayBuffer>} */
function newImage(random) {
  return new TextEncoder().encode(
    `${imageStart}width="9" height="9"><rect id="${random.uuid()}" width="5" height="5"/></svg>`,
  );
}

/** @param {Uint8Array} content */
function isImage(content) {
  return Buffer.from(content.subarray(0, imageStart.length)).toString() === imageStart;
}

/** @param {{ url: string, ledger: Ledger, accounts: readonly Account[] }} options */
export function createClients({ url, ledger, accounts }) {
  let isStopping = false;
  const abort = new AbortController();

  /**
   * Undefined: no response, or one that asks for a retry.
   * @param {string} method
   * @param {string} path
   * @param {{ account?: Account, body?: object | FormData, key?: string, accept?: string }} [options]
   * @returns {Promise<ApiResponse | undefined>}
   */
  async function call(method, path, { account, body, key, accept } = {}) {
    ledger.counts.requests += 1;
    const isForm = body instanceof FormData;
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(account && { authorization: `Bearer ${account.credential}` }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(accept !== undefined && { accept }),
          ...(body && !isForm && { 'content-type': 'application/json' }),
        },
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(REQUEST_TIMEOUT_MS), abort.signal]),
      });
      return classify(method, path, response.status, await readBody(response));
    } catch {
      ledger.counts.unanswered += 1;
      return undefined;
    }
  }

  /** @param {Response} response @returns {Promise<Record<string, unknown>>} */
  async function readBody(response) {
    const isImage = response.headers.get('content-type')?.startsWith('image/');
    if (isImage) return describeImage(response, Buffer.from(await response.arrayBuffer()));
    const text = await response.text();
    return text.startsWith('{') ? JSON.parse(text) : {};
  }

  /** Its links name the Artifact. @param {Response} response @param {Buffer} content */
  function describeImage({ headers }, content) {
    const manifestId = /([0-9a-f-]{36})\.json>/.exec(headers.get('link') ?? '')?.[1];
    /** @type {`0x${string}`} */
    const image = `0x${createHash('sha256').update(content).digest('hex')}`;
    if (manifestId === undefined)
      ledger.recordViolation('unexpected', `the image ${image} has no link to its manifest`);
    else ledger.recordImage(manifestId, image);
    return { manifestId, image };
  }

  /** @param {string} method @param {string} path @param {number} status @param {Record<string, unknown>} body */
  function classify(method, path, status, body) {
    if (status === 503) ledger.counts.unavailable += 1;
    else ledger.counts.answered += 1;
    if (status >= 500) {
      if (status !== 503) ledger.recordViolation('unexpected', `${method} ${path}: ${status} ${JSON.stringify(body)}`);
      return undefined;
    }
    return { status, body };
  }

  /**
   * The same through the SDK, which has retries of its own.
   * @param {string} name
   * @param {() => Promise<object>} work
   * @returns {Promise<ApiResponse | undefined>}
   */
  async function callSdk(name, work) {
    ledger.counts.requests += 1;
    try {
      const body = { ...(await work()) };
      return classify('SDK', name, 200, body);
    } catch (error) {
      if (error instanceof ApiError) return classify('SDK', name, error.status, { code: error.code });
      if (!(error instanceof ServiceUnreachableError) && !abort.signal.aborted) {
        ledger.recordViolation('unexpected', `SDK ${name}: ${error}`);
      }
      ledger.counts.unanswered += 1;
      return undefined;
    }
  }

  /** @param {Account} account */
  const createSdk = (account) => createClient({ baseUrl: url, credential: account.credential, signal: abort.signal });

  /** @param {Creation} creation @param {boolean} withSdk */
  function send(creation, withSdk) {
    const { account, key, markId, fingerprint, content, wantsImage, previous } = creation;
    const fields = { markId, fingerprint, filename: 'photo.jpg', previousFingerprint: previous };
    if (withSdk && !wantsImage) {
      const file = content && new Blob([content]);
      const options = { idempotencyKey: key };
      const client = createSdk(account);
      return callSdk('create', () =>
        file ? client.createManifest({ ...fields, file }, options) : client.createArtifact(fields, options),
      );
    }
    if (!content) return call('POST', '/api/v1/artifacts', { account, key, body: fields });
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
    form.set('file', new Blob([content]), 'photo.jpg');
    return call('POST', '/api/c2pa/manifests', { account, key, body: form, ...(wantsImage && { accept: 'image/*' }) });
  }

  /**
   * The Artifact may have all its signed copies: retries whose responses were lost take them too. Then the same request
   * without an image must succeed.
   * @param {Creation} creation
   * @param {ApiResponse | undefined} response
   */
  function isRefusedImage(creation, response) {
    if (!creation.wantsImage || response?.body['code'] !== 'CONFLICT') return false;
    creation.wantsImage = false;
    return true;
  }

  /** @param {Creation} creation @param {ApiResponse} response */
  function recordResponse(creation, { status, body }) {
    const id = body['id'] ?? body['manifestId'];
    if (typeof id === 'string') return ledger.recordCreation(creation, id);
    const isConflict = body['code'] === 'CONFLICT' && creation.isRaced;
    if (!isConflict && body['code'] !== 'TIER_RESTRICTION') {
      ledger.recordViolation('unexpected', `creation of ${creation.fingerprint}: ${status} ${JSON.stringify(body)}`);
    }
    creation.isConflict = isConflict;
    ledger.recordRefusal(creation);
  }

  /** @param {Creation} creation @param {Random} random */
  async function create(creation, random) {
    ledger.creations.push(creation);
    let response = await send(creation, random.chance(0.4));
    if (!response && random.chance(GIVE_UP_PROBABILITY)) return;
    if (isRefusedImage(creation, response)) response = undefined;
    while (!response && !abort.signal.aborted) {
      await delay(RETRY_DELAY_MS);
      response = await send(creation, random.chance(0.2));
      if (isRefusedImage(creation, response)) response = undefined;
    }
    if (response) recordResponse(creation, response);
    else ledger.recordViolation('stuck', `no response about ${creation.fingerprint}`);
  }

  /** @param {Account} account @param {Random} random @returns {Creation} */
  function newCreation(account, random) {
    const isUpload = random.chance(UPLOAD_PROBABILITY);
    const wantsImage = isUpload && random.chance(IMAGE_PROBABILITY);
    const content = isUpload ? (wantsImage ? newImage(random) : random.bytes(1 + random.below(50_000))) : undefined;
    const previous = random.chance(0.1) ? pickCreated(random)?.fingerprint : undefined;
    return {
      fingerprint: `0x${content ? createHash('sha256').update(content).digest('hex') : Buffer.from(random.bytes(32)).toString('hex')}`,
      key: random.uuid(),
      account,
      markId: random.pick(account.markIds),
      isRaced: false,
      content,
      wantsImage,
      previous,
      id: undefined,
      isConflict: false,
      visibility: 'public',
    };
  }

  /** @param {Random} random */
  function pickCreated(random) {
    const { creations } = ledger;
    // Prefer the latest: they are the ones that faults can affect.
    const from = random.chance(0.5) ? Math.max(0, creations.length - 50) : 0;
    const creation = creations[from + random.below(creations.length - from)];
    return creation?.id === undefined ? undefined : creation;
  }

  /** @type {readonly [number, (account: Account, random: Random) => Promise<unknown>][]} */
  const actions = [
    [0.45, (account, random) => create(newCreation(account, random), random)],
    [0.05, (_, random) => signCopy(pickImage(random))],
    [0.1, race],
    [0.12, (_, random) => lookUp(pickCreated(random))],
    [0.1, repeatCreation],
    [0.08, waitForChain],
    [0.07, changeVisibility],
    [0.03, createMark],
  ];

  /** @param {Random} random */
  function pickImage(random) {
    const images = ledger.creations.filter(({ id, content }) => id !== undefined && content && isImage(content));
    return images[random.below(images.length)];
  }

  /** @param {Creation | undefined} creation */
  async function signCopy(creation) {
    if (!creation?.content) return;
    const { account, fingerprint, content } = creation;
    const form = new FormData();
    form.set('file', new Blob([content]), 'photo.svg');
    const response = await call('POST', `/api/v1/artifacts/${fingerprint}/signed-copy`, { account, body: form });
    // 409: all copies are taken.
    if (response && response.status !== 201 && response.status !== 409) recordLoss(creation, 'a signed copy', response);
  }

  /**
   * Several requests for the same fingerprint at once, of one account or of several.
   * @param {Account} account
   * @param {Random} random
   */
  async function race(account, random) {
    const first = { ...newCreation(account, random), isRaced: true };
    const others = Array.from({ length: RACING_REQUESTS - 1 }, () => {
      const other = accounts[random.below(accounts.length)] ?? account;
      return { ...first, key: random.uuid(), account: other, markId: random.pick(other.markIds) };
    });
    await Promise.all([first, ...others].map((creation) => create(creation, random)));
  }

  /** @param {Pick<Creation, 'id'>} creation @param {string} request @param {ApiResponse} response */
  function recordLoss({ id }, request, { status, body }) {
    ledger.recordViolation('lost', `${id} was created, and ${request} returns ${status} ${JSON.stringify(body)}`);
  }

  /** @param {Pick<Creation, 'id' | 'fingerprint'> | undefined} creation */
  async function lookUp(creation) {
    if (!creation) return;
    const value = encodeURIComponent(Buffer.from(creation.fingerprint.slice(2), 'hex').toString('base64'));
    const response = await call('GET', `/api/c2pa/matches/byBinding?alg=${SOFT_BINDING_ALGORITHM}&value=${value}`);
    if (response && JSON.stringify(response.body['matches'] ?? '').includes(creation.id ?? '') === false) {
      recordLoss(creation, 'a lookup', response);
    }
  }

  /** @param {Account} _account @param {Random} random */
  async function repeatCreation(_account, random) {
    const creation = pickCreated(random);
    if (!creation) return;
    const response = await send(creation, false);
    if (response && !isRefusedImage(creation, response)) recordResponse(creation, response);
  }

  /** @param {Account} account @param {Random} random */
  async function waitForChain(account, random) {
    const creation = pickCreated(random);
    if (!creation) return;
    const path = `/api/v1/artifacts/${creation.fingerprint}?wait=${1 + random.below(5)}`;
    const response = await call('GET', path, { account });
    if (response && response.body['id'] !== creation.id) {
      recordLoss(creation, 'reading it', response);
    }
  }

  /** @param {Account} account @param {Random} random */
  async function changeVisibility(account, random) {
    const creation = pickCreated(random);
    if (creation?.account !== account || account.name === 'studio') return;
    if (creation.visibility === 'unknown') return;
    const contentVisibility = random.pick(/** @type {const} */ (['public', 'private']));
    // Without a response the change may still be applied at any time, also after later ones.
    creation.visibility = 'unknown';
    const path = `/api/v1/artifacts/${creation.fingerprint}/visibility`;
    const response = await call('PUT', path, { account, body: { contentVisibility } });
    if (response?.status === 200) creation.visibility = contentVisibility;
  }

  /** @param {Account} account @param {Random} random */
  async function createMark(account, random) {
    if (account.name === 'studio' || account.name === 'free') return;
    const body = { name: `Mark ${random.below(1_000_000)}` };
    const response = await call('POST', '/api/v1/marks', { account, body });
    const id = response?.body['id'];
    if (typeof id === 'string') ledger.marks.push({ id, account });
  }

  /** @param {Account} account @param {Random} random */
  async function runClient(account, random) {
    while (!isStopping) {
      let left = random.next();
      const [, act] = actions.find(([share]) => {
        left -= share;
        return left < 0;
      }) ?? [0, race];
      await act(account, random);
      await delay(random.below(MAX_THINK_TIME_MS));
    }
  }

  /** @type {Promise<unknown>} */
  let running = Promise.resolve();
  return {
    lookUp,
    /** Runs clients until `finish`. @param {number} count @param {(name: string) => Random} randomFor */
    start(count, randomFor) {
      running = Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const account = accounts[index % accounts.length];
          if (account) await runClient(account, randomFor(`client ${index}`));
        }),
      );
      // `finish` reports the error.
      running.catch(() => {});
    },
    /** Waits for pending requests, for the given time at most. @param {number} timeoutMs */
    async finish(timeoutMs) {
      isStopping = true;
      const timer = setTimeout(() => abort.abort(new Error('the clients did not finish in time')), timeoutMs);
      await running;
      clearTimeout(timer);
    },
  };
}

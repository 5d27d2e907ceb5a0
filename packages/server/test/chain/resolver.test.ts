// Lookups on chain: the real contract on a real EVM, behind nodes that fail in the ways of real ones.

import { createJsonRpcClient, readChainId, readReceipt } from '@provenance-registry/chain-client';
import { contentRegistryAbi } from '@provenance-registry/contract';
import {
  concatHex,
  encodeAbiParameters,
  getAbiItem,
  type Hex,
  parseAbiParameters,
  stringToHex,
  toFunctionSelector,
} from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  curatedEndpoint,
  type RegistryChain,
  startRecordingNode,
  startRegistryChain,
  toBytes32,
} from '../../../../test/support/registryChain.js';
import { registrar, testWallet } from '../../../../test/support/wallets.js';
import { createResolver } from '../../src/chain/resolver.js';

const [alice, bob] = [testWallet(0), testWallet(1)];
const uuid = '00000000-0000-4000-8000-000000000001';
const uuidBytes: Hex = `0x${uuid.replaceAll('-', '')}`;

let chain: RegistryChain;
let lastFingerprint = 0;
beforeAll(async () => {
  chain = await startRegistryChain();
});
afterAll(() => chain.close());
/** Tests decide when the deadline passes, however busy the machine is. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
  chain.misbehave(undefined);
});

function newFingerprint(): Hex {
  lastFingerprint += 1;
  return toBytes32(lastFingerprint);
}

/** A new resolver, whose clock only a test moves. */
function start(url = chain.url) {
  const time = { now: 0 };
  return { time, ...createResolver({ url, registry: chain.registry, clock: () => time.now }) };
}

/** The result of a lookup, with bytes in place of texts. */
function entry(endpoints: Hex[], manifestId: Hex): Hex {
  const types = parseAbiParameters('uint8, bytes[], bytes, bytes32, address, uint64');
  return encodeAbiParameters(types, [2, endpoints, manifestId, toBytes32(1), alice.address, 1n]);
}

const textEntry = (endpoints: string[], manifestId = uuid) =>
  entry(
    endpoints.map((text) => stringToHex(text)),
    stringToHex(manifestId),
  );

/** The node returns these bytes for these fingerprints, and correct results for others. */
function lieAbout(lies: ReadonlyMap<Hex, Hex>): void {
  chain.misbehave(async (response, calls, honest) => {
    const answers = [await honest()].flat();
    const told = calls.map(({ id, params }, index) => {
      const lie = [...lies].find(([fingerprint]) => JSON.stringify(params).includes(fingerprint.slice(2)))?.[1];
      return lie === undefined ? answers[index] : { jsonrpc: '2.0', id, result: lie };
    });
    response.end(JSON.stringify(told.length === 1 ? told[0] : told));
  });
}

describe('an entry', () => {
  it('of any account is found in the public registry, with that account', async () => {
    const fingerprint = newFingerprint();
    await chain.registerPublic(
      alice,
      fingerprint,
      ['https://alice.example/c2pa', 'http://other.example'],
      'urn:c2pa:1',
    );
    expect(await start().resolve(fingerprint)).toEqual({
      source: 'public',
      endpoints: ['https://alice.example/c2pa', 'http://other.example'],
      manifestId: 'urn:c2pa:1',
      registeredBy: alice.address,
    });
  });

  it('of the curated registry takes precedence over a public one, also over an earlier one', async () => {
    const fingerprint = newFingerprint();
    await chain.registerPublic(alice, fingerprint, ['https://alice.example'], 'urn:c2pa:1');
    await chain.registerCurated(fingerprint, uuidBytes);
    expect(await start().resolve(fingerprint)).toEqual({
      source: 'curated',
      endpoints: [curatedEndpoint],
      manifestId: uuid,
      registeredBy: registrar.address,
    });
  });

  it('of two public ones is the earlier one', async () => {
    const fingerprint = newFingerprint();
    await chain.registerPublic(bob, fingerprint, ['https://bob.example'], 'urn:c2pa:2');
    await chain.registerPublic(alice, fingerprint, ['https://alice.example'], 'urn:c2pa:1');
    expect(await start().resolve(fingerprint)).toMatchObject({ registeredBy: bob.address });
  });

  it('that does not exist is not found, however often it is looked up', async () => {
    const resolver = start();
    const before = chain.requests.length;
    for (let i = 0; i < 5; i += 1) expect(await resolver.resolve(newFingerprint())).toBeUndefined();
    expect(chain.requests.length - before).toBe(5);
  });
});

describe('lookups at the same moment', () => {
  it('of one fingerprint are one call', async () => {
    const fingerprint = newFingerprint();
    await chain.registerPublic(alice, fingerprint, ['https://alice.example'], 'urn:c2pa:1');
    const resolver = start();
    const before = chain.requests.length;
    const entries = await Promise.all(Array.from({ length: 50 }, () => resolver.resolve(fingerprint)));
    expect(entries.map((found) => found?.manifestId)).toEqual(Array(50).fill('urn:c2pa:1'));
    expect(chain.requests.slice(before).map((calls) => calls.map(({ method }) => method))).toEqual([['eth_call']]);
  });

  it('of many fingerprints are one request', async () => {
    const fingerprints = Array.from({ length: 50 }, newFingerprint);
    for (const [index, fingerprint] of fingerprints.entries()) {
      if (index % 10 === 0)
        await chain.registerPublic(alice, fingerprint, ['https://alice.example'], `urn:c2pa:${index}`);
    }
    const resolver = start();
    const before = chain.requests.length;
    const entries = await Promise.all(fingerprints.map((fingerprint) => resolver.resolve(fingerprint)));
    expect(entries.map((found) => found?.manifestId)).toEqual(
      fingerprints.map((_, index) => (index % 10 === 0 ? `urn:c2pa:${index}` : undefined)),
    );
    expect(chain.requests.slice(before).map((calls) => calls.length)).toEqual([50]);
  });

  it('get their own results, also from a node that changes the order and omits one', async () => {
    const fingerprints = [newFingerprint(), newFingerprint(), newFingerprint()];
    for (const [index, fingerprint] of fingerprints.entries()) {
      await chain.registerPublic(alice, fingerprint, ['https://alice.example'], `urn:c2pa:${index}`);
    }
    chain.misbehave(async (response, _calls, honest) => {
      const answers = [await honest()].flat();
      response.end(JSON.stringify([answers[2], answers[1]]));
    });
    const resolver = start();
    const entries = await Promise.all(fingerprints.map((fingerprint) => resolver.resolve(fingerprint)));
    expect(entries.map((found) => found?.manifestId)).toEqual([undefined, 'urn:c2pa:1', 'urn:c2pa:2']);
  });

  it('do not share requests with calls that have more time', async () => {
    const patient = createJsonRpcClient({ url: chain.url, timeoutMs: 60_000 });
    const before = chain.requests.length;
    await Promise.all([readChainId(patient), start().resolve(newFingerprint())]);
    expect(
      chain.requests
        .slice(before)
        .map((calls) => calls.map(({ method }) => method))
        .toSorted(),
    ).toEqual([['eth_call'], ['eth_chainId']]);
  });
});

describe('a lookup finds nothing', () => {
  it.each<[string, Parameters<RegistryChain['misbehave']>[0]]>([
    ['closes the connection', (response) => response.destroy()],
    ['answers 500', (response) => response.writeHead(500).end('sorry')],
    [
      'answers 429 in JSON-RPC',
      (response) => response.writeHead(429).end('{"error":{"code":-32005,"message":"slow"}}'),
    ],
    ['responds with HTML', (response) => response.end('<html>')],
    ['responds with JSON that is not JSON-RPC', (response) => response.end('[null,1,"x",{"id":"1"},{}]')],
    ['answers null', (response) => response.end('null')],
    ['answers nothing', (response) => response.end()],
    ['responds to another call', (response) => response.end('{"jsonrpc":"2.0","id":999999,"result":"0x"}')],
    [
      'responds with more than two megabytes',
      (response) => response.end(JSON.stringify({ id: 1, result: 'x'.repeat(2 ** 21) })),
    ],
    ['has no contract there', (response, [call]) => response.end(JSON.stringify({ id: call?.id, result: '0x' }))],
    ['returns no bytes', (response, [call]) => response.end(JSON.stringify({ id: call?.id, result: null }))],
    ['returns no hex', (response, [call]) => response.end(JSON.stringify({ id: call?.id, result: '0xzz' }))],
  ])('when the node %s', async (_, misbehaviour) => {
    chain.misbehave(misbehaviour);
    expect(await start().resolve(newFingerprint())).toBeUndefined();
  });

  it('when the node cannot be reached', async () => {
    const node = await startRecordingNode();
    await node.close();
    expect(await start(node.url).resolve(newFingerprint())).toBeUndefined();
  });

  it.each<[string, Parameters<RegistryChain['misbehave']>[0]]>([
    ['does not respond', () => {}],
    ['stops in the middle of its response', (response) => response.write('{"jsonrpc":')],
    ['sends nothing after its headers', (response) => response.flushHeaders()],
  ])('after a second, when the node %s', async (_, misbehaviour) => {
    chain.misbehave(misbehaviour);
    const asked = chain.nextRequest();
    let settled = false;
    const answer = start()
      .resolve(newFingerprint())
      .finally(() => {
        settled = true;
      });
    await asked;
    await vi.advanceTimersByTimeAsync(999);
    expect(settled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await answer).toBeUndefined();
  });
});

describe('an unavailable chain', () => {
  const dead: Parameters<RegistryChain['misbehave']>[0] = (response) => response.writeHead(500).end();

  it('is not read after three failures, then probed once, twice as late each time, until it is back', async () => {
    const { resolve, time } = start();
    const fingerprint = newFingerprint();
    await chain.registerPublic(alice, fingerprint, ['https://alice.example'], 'urn:c2pa:1');
    chain.misbehave(dead);
    /** How many requests ten lookups make, five at a time. */
    const cost = async () => {
      const before = chain.requests.length;
      for (let i = 0; i < 2; i += 1) {
        await Promise.all(Array.from({ length: 5 }, () => resolve(newFingerprint())));
      }
      return chain.requests.length - before;
    };

    for (let i = 0; i < 3; i += 1) await resolve(newFingerprint());
    expect(await cost()).toBe(0);
    for (const rest of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      time.now += rest - 1;
      expect(await cost()).toBe(0);
      time.now += 1;
      expect(await cost()).toBe(1);
    }

    chain.misbehave(undefined);
    expect(await resolve(fingerprint)).toBeUndefined();
    time.now += 60_000;
    expect(await resolve(fingerprint)).toMatchObject({ manifestId: 'urn:c2pa:1' });
    expect(await cost()).toBe(2);
  });

  it('is not avoided for longer when many lookups fail together', async () => {
    const { resolve, time } = start();
    chain.misbehave(dead);
    await Promise.all(Array.from({ length: 50 }, () => resolve(newFingerprint())));
    chain.misbehave(undefined);
    const fingerprint = newFingerprint();
    await chain.registerPublic(alice, fingerprint, ['https://alice.example'], 'urn:c2pa:1');
    time.now += 2_000;
    expect(await resolve(fingerprint)).toMatchObject({ manifestId: 'urn:c2pa:1' });
  });

  it('is read again at once when only two lookups failed', async () => {
    const { resolve } = start();
    const before = chain.requests.length;
    for (let round = 0; round < 3; round += 1) {
      chain.misbehave(dead);
      await resolve(newFingerprint());
      await resolve(newFingerprint());
      chain.misbehave(undefined);
      await resolve(newFingerprint());
    }
    expect(chain.requests.length - before).toBe(9);
  });
});

/** Unsafe texts, with what is wrong with them. */
const harmfulEndpoints: readonly [string, Hex][] = [
  ['a script', stringToHex('javascript:alert(1)')],
  ['a data address', stringToHex('data:text/html,hello')],
  ['a file', stringToHex('file:///etc/passwd')],
  ['a name and password', stringToHex('https://ada:secret@example.com/')],
  ['a name', stringToHex('https://registry.example.com@evil.example/')],
  ['a quote and a tag', stringToHex('https://example.com/"><script>')],
  ['a backslash', stringToHex('https:\\\\example.com')],
  ['a line break', stringToHex('https://example.com/\r\nSet-Cookie: a=b')],
  ['a zero byte', stringToHex('https://example.com/\0')],
  ['characters that turn the text around', stringToHex('https://example.com/\u202Egpj.exe')],
  ['letters that look like others', stringToHex('https://ex\u0430mple.com/')],
  ['bytes that are not UTF-8', concatHex([stringToHex('https://example.com/'), '0xfffe80'])],
  ['no host', stringToHex('https://')],
  ['a space', stringToHex('https://example.com/a b')],
];
const harmfulIds: readonly [string, Hex][] = [
  ['characters that turn the text around', stringToHex('urn:c2pa:\u202E1')],
  ['a control character', stringToHex('urn:c2pa:\u001b[31m')],
  ['bytes that are not UTF-8', '0xc328'],
  ['a tag', stringToHex('<img src=x>')],
  ['invisible characters', stringToHex('urn:c2pa:1\u200b')],
];

describe('an entry of a stranger', () => {
  /** The contract takes any bytes for a text; so does this, unlike a client that encodes texts. */
  async function registerBytes(fingerprint: Hex, endpoints: Hex[], manifestId: Hex): Promise<void> {
    const selector = toFunctionSelector(getAbiItem({ abi: contentRegistryAbi, name: 'registerPublicManifest' }));
    const types = parseAbiParameters('bytes32, bytes[], bytes, bytes32');
    const args = encodeAbiParameters(types, [fingerprint, endpoints, manifestId, toBytes32(1)]);
    const hash = await chain.send(alice, concatHex([selector, args]));
    expect((await readReceipt(chain.reader, hash))?.isSuccess).toBe(true);
  }

  it.each(harmfulEndpoints)('is returned without an endpoint that has %s', async (_, endpoint) => {
    const [alone, besides, neighbour] = [newFingerprint(), newFingerprint(), newFingerprint()];
    await registerBytes(alone, [endpoint], stringToHex(uuid));
    await registerBytes(besides, [endpoint, stringToHex('https://good.example')], stringToHex(uuid));
    await chain.registerPublic(bob, neighbour, ['https://bob.example'], 'urn:c2pa:1');
    const resolver = start();
    const before = chain.requests.length;
    const found = await Promise.all([alone, besides, neighbour].map((fingerprint) => resolver.resolve(fingerprint)));
    expect(found.map((shown) => shown?.endpoints)).toEqual([
      undefined,
      ['https://good.example'],
      ['https://bob.example'],
    ]);
    expect(chain.requests.length - before).toBe(1);
  });

  it.each(harmfulIds)('is not returned when its id has %s', async (_, manifestId) => {
    const [bad, neighbour] = [newFingerprint(), newFingerprint()];
    await registerBytes(bad, [stringToHex('https://good.example')], manifestId);
    await chain.registerPublic(bob, neighbour, ['https://bob.example'], 'urn:c2pa:1');
    const resolver = start();
    const found = await Promise.all([bad, neighbour].map((fingerprint) => resolver.resolve(fingerprint)));
    expect(found.map((shown) => shown?.manifestId)).toEqual([undefined, 'urn:c2pa:1']);
  });

  it('is returned when it has the largest size that the contract allows', async () => {
    const endpoints = Array.from({ length: 8 }, (_, index) => `https://${index}.example/`.padEnd(256, 'x'));
    const fingerprint = newFingerprint();
    await chain.registerPublic(alice, fingerprint, endpoints, 'u'.repeat(128));
    expect(await start().resolve(fingerprint)).toMatchObject({ endpoints, manifestId: 'u'.repeat(128) });
  });

  it('is refused by the contract with nine endpoints, with 257 bytes in one, or with a megabyte', async () => {
    const register = (endpoints: string[]) => chain.registerPublic(alice, newFingerprint(), endpoints, uuid);
    await expect(register(Array(9).fill('https://x.example/'))).rejects.toThrow('InvalidEndpointCount');
    await expect(register(['https://x.example/'.padEnd(257, 'x')])).rejects.toThrow('InvalidEndpointLength');
    await expect(register(Array(4_096).fill('https://x.example/'.padEnd(256, 'x')))).rejects.toThrow();
    await expect(register(['https://x.example/'.padEnd(2 ** 20, 'x')])).rejects.toThrow();
  });

  it('is not returned when the node forges it: huge lists, wrong lengths, wrong offsets', async () => {
    const long = 'https://x.example/'.padEnd(256, 'x');
    // Thousands of places that all lead to one long text: small to send, gigabytes to read.
    const places = 700;
    const folded = concatHex([
      ...[2, 192, 0, 4, 5, 6, places].map(toBytes32),
      ...Array.from({ length: places }, () => toBytes32(places * 32)),
      toBytes32(2 ** 14),
      `0x${'41'.repeat(2 ** 14)}`,
    ]);
    const lies = new Map<Hex, Hex>([
      [newFingerprint(), textEntry(Array(800).fill(long))],
      [newFingerprint(), textEntry([`https://${'x'.repeat(2 ** 17)}`])],
      [newFingerprint(), folded],
      [newFingerprint(), concatHex([1n, 2n ** 255n, 3n, 4n, 5n, 6n].map(toBytes32))],
      [newFingerprint(), concatHex([1n, 192n, 192n, 4n, 5n, 6n, 2n ** 40n].map(toBytes32))],
      [newFingerprint(), concatHex([2n ** 255n, 192n, 192n, 4n, 5n, 6n, 0n].map(toBytes32))],
      [newFingerprint(), '0x123'],
      [newFingerprint(), textEntry([])],
      [newFingerprint(), textEntry(['https://good.example'], '')],
    ]);
    const neighbour = newFingerprint();
    await chain.registerPublic(bob, neighbour, ['https://bob.example'], 'urn:c2pa:1');
    lieAbout(lies);
    const resolver = start();
    const found = await Promise.all([...lies.keys(), neighbour].map((fingerprint) => resolver.resolve(fingerprint)));
    expect(found).toEqual([...Array(lies.size).fill(undefined), expect.objectContaining({ manifestId: 'urn:c2pa:1' })]);
  });

  it('is not returned when the node forges a megabyte of it', async () => {
    const fingerprint = newFingerprint();
    lieAbout(new Map([[fingerprint, textEntry(Array(4_096).fill('https://x.example/'.padEnd(256, 'x')))]]));
    expect(await start().resolve(fingerprint)).toBeUndefined();
  });
});

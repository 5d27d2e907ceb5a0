// Verification of honest registrations, and of what is unavailable, against the service, the chain and the manifest.

import { describe, expect, test } from 'vitest';
import { newFile } from '../../../test/support/files.js';
import { writePublicEntry } from '../../../test/support/publicRegistry.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { LISTS, listOnly, startTamperingProxy } from '../../../test/support/tamperingProxy.js';
import { createClient, InvalidArgumentError, lookUp, verify, waitForStatus } from '../src/index.js';
import { hang, respondJson, startScriptedServer } from './support/scriptedServer.js';
import { factsOf, readLogKey, startVerifiedService, states } from './support/verifiedService.js';

const { service, stranger, ada, rpcUrl, address, chain, trustAnchorsPem, registerFile } = await startVerifiedService();
const photo = await registerFile();
const logKey = await readLogKey(stranger);

const ISO_TIME = expect.stringMatching(/^20\d\d-.*Z$/);

describe('An honest registration', () => {
  test('is verified when the caller names a node and trust anchors, each fact with its evidence', async () => {
    const found = await verify(photo.fingerprint, { client: stranger, chain, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'agrees', 'confirmed', 'confirmed']);
    expect(found).toMatchObject({ independentSources: ['chain', 'manifest', 'log'], problems: [], notices: [] });
    expect(factsOf(found)).toEqual({
      mark: ['Ada Lovelace Photography', 'chain manifest log'],
      markId: [ada.markId, 'chain manifest log'],
      author: ['Ada', 'chain manifest log'],
      authorId: [expect.any(String), 'chain log'],
      license: [expect.any(String), 'chain manifest log'],
      allowAiTraining: [true, 'chain manifest log'],
      data_mining: ['allowed', 'manifest log'],
      ai_inference: ['allowed', 'manifest log'],
      ai_training: ['allowed', 'manifest log'],
      ai_generative_training: ['allowed', 'manifest log'],
      filename: ['sunrise.jpg', 'chain manifest log'],
      fileSeen: [false, 'chain log'],
      authorshipStated: [false, 'service'],
      registrar: [expect.stringMatching(/^0x/), 'chain'],
      since: [ISO_TIME, 'chain'],
    });
    expect(found.times.map(({ source, isIndependent }) => [source, isIndependent])).toEqual(
      expect.arrayContaining([
        ['block', true],
        // The built-in authority is the same party as the signer.
        ['timestamp', false],
        ['service', false],
      ]),
    );
    const { registry, chain: onChain, manifest, log } = found.checks;
    expect(log).toMatchObject({ state: 'confirmed', details: { keyFrom: 'caller', manifestId: photo.id } });
    expect(registry.details).toMatchObject({ manifestId: photo.id, transactionHash: photo.transactionHash });
    expect(onChain.details).toMatchObject({
      from: 'caller',
      addressFrom: 'caller',
      source: 'curated',
      manifestId: photo.id,
      address,
      chainId: 31_337,
      transactionHash: photo.transactionHash,
      blockNumber: expect.any(Number),
      blockTime: ISO_TIME,
    });
    expect(manifest.details).toMatchObject({
      manifestId: photo.id,
      signedBy: 'Development signer, Provenance registry',
      signedAt: ISO_TIME,
      trustedBy: 'caller',
      isTimestamped: true,
    });
  });

  test('is only consistent when everything comes from the service', async () => {
    const found = await verify(photo.fingerprint, { client: stranger });
    expect(states(found)).toEqual(['consistent', 'agrees', 'agrees', 'agrees']);
    expect(found).toMatchObject({ independentSources: [], notices: [], reason: { code: 'NOTHING_NAMED' } });
    expect(found.facts.every(({ evidence }) => evidence.join() === 'service')).toBe(true);
    expect(found.checks.chain.details).toMatchObject({ from: 'service', addressFrom: 'service' });
    expect(found.checks.chain.proves).toContain("The node is the service's own");
    expect(found.checks.manifest.details.trustedBy).toBe('service');
    const required = await verify(photo.fingerprint, { client: stranger, require: ['manifest'] });
    expect([required.verdict, required.notices[0]?.code]).toEqual(['incomplete', 'REQUIRED']);
  });

  test.each([
    ['a node and the contract', { chain }, ['chain']],
    ['trust anchors', { trustAnchorsPem }, ['manifest', 'log']],
    ['the key of the log', { logKeys: [logKey] }, ['log']],
  ])('is verified when the caller names %s', async (_, sources, independentSources) => {
    const found = await verify(photo.fingerprint, { client: stranger, ...sources });
    expect(found).toMatchObject({ verdict: 'verified', independentSources });
    expect(found.reason).toBeUndefined();
    const required = { client: stranger, ...sources, require: ['chain', 'manifest'] as const };
    expect((await verify(photo.fingerprint, required)).verdict).toBe('incomplete');
  });

  test('is only consistent with a contract that the service names, also when the caller passes it on', async () => {
    for (const named of [{ rpcUrl }, { rpcUrl, chainId: 31_337 }]) {
      const found = await verify(photo.fingerprint, { client: stranger, chain: named });
      expect(found).toMatchObject({ verdict: 'consistent', reason: { code: 'CONTRACT_NOT_NAMED' } });
      expect(found.facts.filter(({ evidence }) => !evidence.includes('service'))).toEqual([]);
    }
    const contract: object = await stranger.getContract();
    const passedOn = await verify(photo.fingerprint, { client: stranger, chain: contract });
    expect(passedOn).toMatchObject({ verdict: 'consistent', reason: { code: 'NOTHING_NAMED' } });
  });

  test('without a service is found by the chain, which proves since when but not by whom', async () => {
    const found = await verify(photo.fingerprint, { chain });
    expect(states(found)).toEqual(['consistent', 'unavailable', 'confirmed', 'agrees']);
    expect(found.reason?.code).toBe('REGISTRANT_NOT_PROVEN');
    expect(found.checks.manifest.details.from).toBe(`${service.url}/api/c2pa`);
    expect(factsOf(found)).toMatchObject({
      mark: ['Ada Lovelace Photography', 'service'],
      since: [ISO_TIME, 'chain'],
    });
    const known = await verify(photo.fingerprint, { chain, trustAnchorsPem });
    expect(states(known)).toEqual(['verified', 'unavailable', 'confirmed', 'confirmed']);
  });

  test('is of the Mark that the caller expects, by its id or name, and of no other', async () => {
    const expecting = (mark: string, sources: object = { chain }) =>
      verify(photo.fingerprint, { client: stranger, ...sources, expect: { mark } });
    expect((await expecting(ada.markId)).verdict).toBe('verified');
    expect((await expecting('Ada Lovelace Photography')).verdict).toBe('verified');
    expect((await expecting(ada.markId, {})).verdict).toBe('consistent');
    const last = ada.markId.at(-1) === '0' ? '1' : '0';
    for (const other of [ada.markId.slice(0, 8), `${ada.markId.slice(0, -1)}${last}`, 'ada lovelace photography']) {
      const { verdict, reason } = await expecting(other);
      expect([verdict, reason?.code]).toEqual(['contradicted', 'UNEXPECTED_MARK']);
    }
    const { id: markId } = await ada.client.createMark({ name: 'Hidden', visibility: 'private' });
    const { fingerprint } = newFile();
    await ada.client.createArtifact({ markId, fingerprint, filename: 'plan.txt' });
    await waitForStatus(ada.client, fingerprint);
    const hidden = await verify(fingerprint, { client: stranger, chain, expect: { mark: markId } });
    expect(hidden).toMatchObject({ verdict: 'incomplete', reason: { code: 'MARK_HIDDEN' } });
  });

  test('is verified from the file, its sidecar and a node, although the service is gone', async () => {
    const manifest = await stranger.manifestBytes(photo.id);
    const client = createClient({ baseUrl: 'http://127.0.0.1:1' });
    for (const sources of [{ manifest }, { manifest, client }]) {
      const found = await verify(photo.fingerprint, { ...sources, chain, trustAnchorsPem });
      expect(states(found)).toEqual(['verified', 'unavailable', 'confirmed', 'confirmed']);
    }
  });

  test('with a previous version shows which', async () => {
    const next = await registerFile({ previousFingerprint: photo.fingerprint });
    const found = await verify(next.fingerprint, { client: stranger, chain, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'agrees', 'confirmed', 'confirmed']);
    expect(factsOf(found)['previousFingerprint']).toEqual([photo.fingerprint, 'chain manifest log']);
  });

  test('under a private Mark shows only what is left of the record', async () => {
    const { id: markId } = await ada.client.createMark({ name: 'Secret', visibility: 'private' });
    const { fingerprint } = newFile();
    await ada.client.createArtifact({ markId, fingerprint, filename: 'plan.txt' });
    await waitForStatus(ada.client, fingerprint);
    const bea = await createRegistrant(service.url);
    for (const client of [stranger, bea.client]) {
      const found = await verify(fingerprint, { client, chain });
      expect(states(found)).toEqual(['verified', 'agrees', 'confirmed', 'agrees']);
      expect(found.facts.map(({ name }) => name)).toEqual(['fileSeen', 'authorshipStated', 'registrar', 'since']);
    }
    const own = await verify(fingerprint, { client: ada.client, chain });
    expect(factsOf(own)).toMatchObject({ mark: ['Secret', 'chain'], filename: ['plan.txt', 'chain'] });
  });

  test('whose content was made private later shows what the manifest says and the word of the service', async () => {
    const { fingerprint } = await registerFile();
    await ada.client.setContentVisibility({ fingerprint, contentVisibility: 'private' });
    const found = await verify(fingerprint, { client: stranger, chain, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'agrees', 'confirmed', 'confirmed']);
    expect(factsOf(found)).toMatchObject({
      mark: ['Ada Lovelace Photography', 'manifest'],
      authorId: [expect.any(String), 'service'],
    });
  });

  test('under a Mark that was renamed shows the name that was registered, and the present one as a word', async () => {
    const { id: markId } = await ada.client.createMark({ name: 'Before' });
    const { fingerprint } = newFile();
    await ada.client.createArtifact({ markId, fingerprint, filename: 'a.txt' });
    await waitForStatus(ada.client, fingerprint);
    await ada.client.updateMark({ markId, name: 'After' });
    const found = await verify(fingerprint, { client: stranger, chain, trustAnchorsPem });
    expect(found.verdict).toBe('verified');
    expect(factsOf(found)).toMatchObject({
      mark: ['Before', 'chain manifest log'],
      currentMarkName: ['After', 'service'],
    });
  });
});

test('an unregistered file is unknown', async () => {
  const found = await verify(newFile().fingerprint, { client: stranger, chain });
  expect(states(found)).toEqual(['unknown', 'absent', 'absent', 'absent']);
  expect(found.checks.chain.proves).toContain('does not prove that the file was never registered');
});

test('a service that was read just before the registration is not contradicted', async () => {
  let lookups = 0;
  const json = {
    [LISTS]: (honest: object) => {
      lookups += 1;
      return lookups === 1 ? listOnly()(honest) : honest;
    },
  };
  const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
  const found = await verify(photo.fingerprint, { client, chain });
  expect(states(found)).toEqual(['verified', 'agrees', 'confirmed', 'agrees']);
});

test('a service that reports that it cannot read the chain is not contradicted', async () => {
  const json = {
    [LISTS]: listOnly(),
    '/api/c2pa/services/status': (honest: object) => ({ ...honest, status: 'degraded' }),
  };
  const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
  const found = await verify(photo.fingerprint, { client, chain, trustAnchorsPem });
  expect(states(found)).toEqual(['verified', 'unavailable', 'confirmed', 'confirmed']);
});

describe('An entry in the public registry', () => {
  test('is reported as such and verifies nothing', async () => {
    const file = newFile();
    const endpoint = await startScriptedServer(respondJson(500, {}));
    const registeredBy = await writePublicEntry(service, rpcUrl, file, {
      endpoints: [`${endpoint.url}/api/c2pa`],
      manifestId: `urn:c2pa:${photo.id}`,
    });
    // The service finds it once it has read the block.
    await expect.poll(async () => (await lookUp(stranger, file.fingerprint)).source).toBe('public');
    for (const sources of [{ client: stranger, chain }, { chain }, { client: stranger }]) {
      const { verdict, checks } = await verify(file.fingerprint, sources);
      expect(verdict).toBe('unknown');
      const reporting = [checks.registry, checks.chain].filter(({ proves }) =>
        proves.includes('Anyone can write to the public registry'),
      );
      expect(reporting.every(({ state, details }) => state === 'absent' && details.registeredBy === registeredBy)).toBe(
        true,
      );
      expect(reporting.length).toBeGreaterThan(0);
    }
    expect(endpoint.received).toEqual([]);
  });

  test('does not override the registration of the service', async () => {
    const { fingerprint } = photo;
    await writePublicEntry(service, rpcUrl, { fingerprint }, { endpoints: ['http://x'], manifestId: 'mine' });
    const found = await verify(fingerprint, { client: stranger, chain });
    expect(states(found)).toEqual(['verified', 'agrees', 'confirmed', 'agrees']);
  });
});

describe('An unavailable source', () => {
  test('that the caller named makes the result incomplete, whatever the others say', async () => {
    const unreachable = { rpcUrl: 'http://127.0.0.1:1', address };
    const found = await verify(photo.fingerprint, { client: stranger, chain: unreachable, trustAnchorsPem });
    expect(states(found)).toEqual(['incomplete', 'agrees', 'unavailable', 'confirmed']);
    expect(found.reason?.text).toContain('could not be used: ');
    expect(states(await verify(newFile().fingerprint, { client: stranger, chain: unreachable }))).toEqual([
      'incomplete',
      'absent',
      'unavailable',
      'absent',
    ]);
  });

  const callResult = (fields: object) => respondJson(200, { jsonrpc: '2.0', id: 1, ...fields });
  test.each([
    ['is on another chain', callResult({ result: '0x1' }), 'contradicted', 'You named chain 31337, but the node is on'],
    ['returns an error', callResult({ error: { code: -32_005, message: 'slow down' } }), 'incomplete', 'slow down'],
    ['does not speak JSON-RPC', respondJson(200, []), 'incomplete', 'not JSON-RPC'],
    ['is none', respondJson(404, {}), 'incomplete', 'status 404'],
    ['refuses the caller', respondJson(403, {}), 'incomplete', 'status 403'],
    ['wants a login', respondJson(401, {}), 'incomplete', 'status 401'],
    ['has had too many calls', respondJson(429, {}), 'incomplete', 'status 429'],
    ['is broken', respondJson(500, {}), 'incomplete', 'status 500'],
    ['has a broken gateway', respondJson(502, {}), 'incomplete', 'status 502'],
    ['returns an invalid result', callResult({ result: 'many' }), 'incomplete', 'of the wrong form'],
  ])('is the chain when the node %s', async (_, respond, expectedVerdict, reason) => {
    const node = await startScriptedServer(respond);
    const named = { rpcUrl: node.url, address, chainId: 31_337 };
    const { verdict, checks } = await verify(photo.fingerprint, { client: stranger, chain: named, trustAnchorsPem });
    expect([verdict, checks.chain.reason]).toEqual([expectedVerdict, expect.stringContaining(reason)]);
    const both = { ...named, rpcUrl: [rpcUrl, node.url] };
    const withAnother = await verify(photo.fingerprint, { client: stranger, chain: both, trustAnchorsPem });
    expect(withAnother.verdict).toBe(expectedVerdict);
  });

  test('is the full record when the credential is refused; the public record counts', async () => {
    const client = createClient({ baseUrl: service.url, credential: 'expired' });
    const found = await verify(photo.fingerprint, { client });
    expect(states(found)).toEqual(['consistent', 'agrees', 'agrees', 'agrees']);
    expect(found.checks.registry.details).toMatchObject({ manifestId: photo.id, refusal: expect.any(String) });
  });

  test('is a service of an earlier version: it is named, and nothing is taken for granted that it does not send', async () => {
    const json = {
      '/api/v1/public/artifacts': ({ claims: _, fileSeen: __, ...record }: Record<string, unknown>) => record,
    };
    const client = createClient({ baseUrl: await startTamperingProxy(service.url, { json }) });
    const reason =
      'The response to getPublicArtifact does not have the documented form: it lacks fileSeen, claims. The service may be of an earlier version than this client.';
    await expect(client.getPublicArtifact({ fingerprint: photo.fingerprint })).rejects.toThrow(reason);
    const found = await verify(photo.fingerprint, { client, chain, trustAnchorsPem });
    expect(states(found)).toEqual(['verified', 'unavailable', 'confirmed', 'confirmed']);
    expect(found.checks.registry).toMatchObject({ code: 'SOURCE_MALFORMED', reason, details: {} });
  });

  test('is each of them when none is given', async () => {
    expect(states(await verify(photo.fingerprint, {}))).toEqual([
      'incomplete',
      'unavailable',
      'unavailable',
      'unavailable',
    ]);
    await expect(verify('0x12', { client: stranger })).rejects.toThrow(InvalidArgumentError);
    await expect(verify(photo.fingerprint, { trustAnchorsPem: 'none' })).rejects.toThrow(InvalidArgumentError);
  });

  test('can be aborted', async () => {
    const controller = new AbortController();
    const node = await startScriptedServer((...exchange) => {
      hang(...exchange);
      controller.abort(new Error('enough'));
    });
    const verifying = verify(photo.fingerprint, { chain: { rpcUrl: node.url, address }, signal: controller.signal });
    await expect(verifying).rejects.toThrow('enough');
  });
});

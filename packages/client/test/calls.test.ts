// The typed calls, against the real service.

import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { api, type Fingerprint, fingerprintOf, type Operation, softBindingValue } from '@provenance-registry/core';
import { Secret, TOTP } from 'otpauth';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { newFile, toTestFile } from '../../../test/support/files.js';
import { freePort } from '../../../test/support/ports.js';
import { createMigratedDatabase } from '../../../test/support/postgres.js';
import { randomUUID } from '../../../test/support/random.js';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { newImage } from '../../../test/support/signedImages.js';
import { createClientIn } from '../src/client.js';
import { defaultEnvironment } from '../src/environment.js';
import {
  ApiError,
  createClient,
  InvalidArgumentError,
  InvalidResponseError,
  lookUpMany,
  signFile,
  waitForStatus,
} from '../src/index.js';
import { startScriptedServer } from './support/scriptedServer.js';

const OPERATOR_TOKEN = 'operator-token-for-tests';
const service = await startService({ OPERATOR_TOKEN });
const alg = 'com.service.sha256';

test('no operation has two fields of the same name, so that one object can hold all input', () => {
  const operations: Operation[] = Object.values(api);
  for (const { id, params, query, body, multipart } of operations) {
    const names = [params, query, { properties: { ...body?.properties, ...multipart?.properties } }].flatMap((schema) =>
      Object.keys(schema?.properties ?? {}),
    );
    expect([id, names]).toEqual([id, [...new Set(names)]]);
  }
});

test('a field that an operation does not have is sent, so that the service refuses it', async () => {
  const { client, markId } = await createRegistrant(service.url);
  const { fingerprint, filename } = {
    fingerprint: fingerprintOf(createHash('sha256').update(randomUUID()).digest()),
    filename: 'a.txt',
  };
  // As from JavaScript, without types.
  const misspelled = Object.assign({ name: 'Ada' }, { allowAiTrainning: false });
  await expect(client.createMark(misspelled)).rejects.toMatchObject({
    message: 'Unknown field allowAiTrainning. Did you mean allowAiTraining?',
    problems: [{ path: '/allowAiTrainning', message: 'Unknown field allowAiTrainning. Did you mean allowAiTraining?' }],
  });
  const inForm = Object.assign({ markId, fingerprint, filename, file: new Blob(['x']) }, { authorshipStatd: true });
  await expect(client.createArtifact(inForm)).rejects.toThrow('Did you mean authorshipStated?');
  expect((await client.listMarks()).map(({ id }) => id)).toEqual([markId]);
});

test('every operation can be called, and its response matches its type', async () => {
  const { client: ada, email, markId } = await createRegistrant(service.url);
  const { client: bea } = await createRegistrant(service.url);
  const stranger = createClient({ baseUrl: service.url });
  const operator = createClient({ baseUrl: service.url, credential: OPERATOR_TOKEN });
  const file = newFile();

  const { user } = await ada.getMe();
  const beasId = (await bea.getMe()).user.id;
  expect((await stranger.logIn({ email, password: 'correct horse battery' })).user).toEqual(user);
  expect((await operator.putUserTier({ userId: user.id, tier: 'enterprise' })).user.tier).toBe('enterprise');

  const { id: organizationId } = await ada.createOrganization({ name: 'Studio' });
  expect((await ada.putUsageUnits({ organizationId, purchased: 1 })).usageUnits).toEqual({ total: 2, used: 1 });
  const toOrganization = await ada.createOrganizationInvitation({ organizationId });
  expect((await bea.acceptInvitation({ token: toOrganization.token })).organization?.id).toBe(organizationId);
  await ada.updateOrganizationMember({ organizationId, userId: beasId, isAdmin: true });
  expect((await ada.listOrganizationMembers({ organizationId })).map((member) => member.isAdmin)).toContain(true);
  expect((await ada.getOrganizationOverview({ organizationId })).byMember?.members).toHaveLength(2);
  const { events } = await ada.listOrganizationEvents({ organizationId, limit: 1 });
  expect(events.map(({ type }) => type)).toEqual(['member.role_changed']);
  expect(await ada.removeOrganizationMember({ organizationId, userId: beasId })).toBeUndefined();
  const { id: invitationId } = await ada.createOrganizationInvitation({ organizationId });
  expect((await ada.listOrganizationInvitations({ organizationId })).map(({ id }) => id)).toEqual([invitationId]);
  expect(await ada.withdrawOrganizationInvitation({ organizationId, invitationId })).toBeUndefined();
  expect(await ada.listOrganizations()).toEqual([await ada.getOrganization({ organizationId })]);

  expect((await ada.updateMark({ markId, name: 'Ada' })).name).toBe('Ada');
  const toMark = await ada.createMarkInvitation({ markId });
  expect((await bea.acceptInvitation({ token: toMark.token })).mark?.id).toBe(markId);
  expect((await ada.putMarkAdmin({ markId, userId: beasId })).admin.id).toBe(beasId);
  expect((await ada.putMarkAdmin({ markId, userId: user.id })).admin.id).toBe(user.id);
  await ada.removeMarkMember({ markId, userId: beasId });
  const { token: second } = await ada.createMarkInvitation({ markId });
  expect(await bea.previewInvitation({ token: second })).toMatchObject({ kind: 'mark', mark: { id: markId } });
  expect(await bea.declineInvitation({ token: second })).toBeUndefined();
  const { id: third } = await ada.createMarkInvitation({ markId });
  expect((await ada.listMarkInvitations({ markId })).map(({ id }) => id)).toEqual([third]);
  await ada.withdrawMarkInvitation({ markId, invitationId: third });
  expect(await bea.listReceivedInvitations()).toEqual([]);
  expect(await ada.listMarks()).toEqual([await ada.getMark({ markId })]);
  expect((await stranger.listGallery({ query: 'Ada' })).marks.map(({ id }) => id)).toContain(markId);
  expect((await stranger.listGallery()).marks.map(({ id }) => id)).toContain(markId);

  const { id: keyId, token } = await ada.createApiKey({ organizationId, name: 'key' });
  const key = createClient({ baseUrl: service.url, credential: token });
  expect((await key.listApiKeys()).map(({ id }) => id)).toEqual([keyId]);
  await ada.deleteApiKey({ keyId, organizationId });
  expect((await ada.getTierLimits({ organizationId })).tier).toBe('enterprise');
  expect((await stranger.listTiers()).selfServe).toBe(true);

  const created = await ada.createArtifact({
    markId,
    fingerprint: file.fingerprint,
    filename: 'file',
    size: undefined,
  });
  expect((await ada.getArtifact({ fingerprint: file.fingerprint })).id).toBe(created.id);
  await ada.setContentVisibility({ fingerprint: file.fingerprint, contentVisibility: 'private' });
  expect((await ada.listArtifacts({ markId, limit: 1 })).artifacts.map(({ id }) => id)).toEqual([created.id]);
  expect((await stranger.getPublicArtifact({ fingerprint: file.fingerprint })).id).toBe(created.id);
  expect((await stranger.getPublicMark({ markId })).name).toBe('Ada');
  expect((await stranger.listPublicArtifacts({ markId })).artifacts.map(({ id }) => id)).toEqual([created.id]);
  const other = newFile();
  const signed = await ada.createManifest({ markId, file: new Blob([other.bytes], { type: 'text/plain' }) });
  expect(signed.fingerprint).toBe(other.fingerprint);

  const seen: string[] = [];
  const landed = await waitForStatus(ada, file.fingerprint, { onStatus: (status) => seen.push(status) });
  expect([landed.status, seen.at(-1)]).toEqual(['submitted', 'submitted']);
  const matches = { matches: [expect.objectContaining({ manifestId: created.id })] };
  expect(await stranger.findByBinding({ alg, value: softBindingValue(file.fingerprint) })).toEqual(matches);
  expect(await stranger.findByLargeBinding({ alg, value: softBindingValue(file.fingerprint) })).toEqual(matches);
  for (const content of [file.bytes, new Blob([file.bytes]), new Blob([file.bytes]).stream()]) {
    expect(await stranger.findByContent({ file: content, maxResults: 1 })).toEqual(matches);
  }
  const { manifestBinaryUrl = '' } = await stranger.getManifest({ manifestId: created.id });
  const sidecar = await stranger.manifestBytes(created.id);
  expect(sidecar.length).toBeGreaterThan(1000);
  expect(await stranger.download(manifestBinaryUrl)).toEqual(sidecar);

  expect((await stranger.getAlgorithms()).fingerprints).toEqual([{ alg }]);
  expect((await stranger.getCapabilities()).c2paSpecificationVersion).toBe('2.2.0');
  expect((await stranger.getServiceStatus()).status).toBe('ok');
  expect((await stranger.getWellKnown()).apiEndpoint).toBe(`${service.url}/api/c2pa`);
  expect((await stranger.getContract()).address).toMatch(/^0x/);
  expect((await stranger.getHealth()).status).toBe('ok');
  expect((await stranger.getReadiness()).status).toBe('ready');
  expect(await stranger.getMetrics()).toContain('http_requests');
  expect(await stranger.getOpenApi()).toHaveProperty('openapi');
});

test('a Mark claims domains and a representative, and an Artifact is contested', async () => {
  const [{ client: ada, markId }, { client: bea, markId: beasMark }] = await Promise.all([
    createRegistrant(service.url),
    createRegistrant(service.url),
  ]);
  const stranger = createClient({ baseUrl: service.url });
  const operator = createClient({ baseUrl: service.url, credential: OPERATOR_TOKEN });
  const domain = 'lovelace.example';
  expect(await ada.claimDomain({ markId, domain })).toMatchObject({ domain, dnsRecord: { value: `mark=${markId}` } });
  expect((await ada.listDomains({ markId })).map((claimed) => claimed.domain)).toEqual([domain]);
  expect(await ada.checkDomain({ markId, domain })).toBeUndefined();
  expect(await ada.removeDomain({ markId, domain })).toBeUndefined();
  const { id: heir, name } = await ada.createMark({ name: 'Heir of Ada' });
  expect((await ada.putRepresentative({ markId, representativeId: heir })).representedBy?.id).toBe(heir);
  expect((await stranger.listNamesakes({ name: name.toUpperCase() })).marks.map(({ id }) => id)).toEqual([heir]);

  const { fingerprint, bytes } = newFile();
  const file = new Blob([bytes]);
  const created = await ada.createArtifact({ markId, fingerprint, filename: 'x', file, authorshipStated: true });
  expect(created).toMatchObject({ fileSeen: true, authorshipStated: true });
  const statement = 'I made it.';
  const forged = bea.createClaim({ fingerprint, kind: 'timestamp', statement, file: new Blob(['no time-stamp']) });
  await expect(forged).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  const { id: claimId } = await bea.createClaim({ fingerprint, kind: 'statement', statement, markId: beasMark });
  await expect(stranger.getClaimEvidence({ claimId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await bea.listOwnClaims({ role: 'made' })).claims.map(({ id }) => id)).toEqual([claimId]);
  await ada.answerClaim({ claimId, text: 'So did I.' });
  await operator.addOperatorNote({ claimId, text: 'Seen.' });
  expect((await ada.concedeClaim({ claimId })).status).toBe('superseded');
  const { claims } = await stranger.listArtifactClaims({ fingerprint });
  expect(claims[0]?.entries.map(({ type }) => type)).toEqual(['answer', 'operator-note', 'superseded']);
  await expect(bea.withdrawClaim({ claimId })).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('evidence of a claim is returned byte for byte', async () => {
  const token = new Uint8Array([0x30, 0x80, 0xff, 0x00, 0xc3, 0x28]);
  const { url } = await startScriptedServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(token);
  });
  const claimId = '2f8e1a7b-4311-4d2e-9a7d-8f1a7b431e4b';
  expect(await createClient({ baseUrl: url }).getClaimEvidence({ claimId })).toEqual(token);
});

test('an account can be changed, exported and closed', async () => {
  const { client, email } = await createRegistrant(service.url);
  const stranger = createClient({ baseUrl: service.url });
  const password = 'correct horse battery';
  const newPassword = 'staple horse correct';
  expect((await client.updateMe({ name: 'Ada King' })).user.name).toBe('Ada King');
  expect(await client.changeEmail({ email: `new-${email}`, password })).toBeUndefined();
  expect(await client.changePassword({ currentPassword: password, newPassword })).toBeUndefined();
  const { secret } = await client.startTotp({ password: newPassword });
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const { recoveryCodes } = await client.confirmTotp({ code: totp.generate() });
  const credentials = { email: `new-${email}`, password: newPassword };
  await expect(stranger.logIn(credentials)).rejects.toMatchObject({ code: 'TOTP_REQUIRED', status: 401 });
  const { token: other } = await stranger.logIn({ ...credentials, totpCode: recoveryCodes[0] });
  expect(await client.removeTotp({ password: newPassword })).toBeUndefined();
  const sessions = await client.listSessions();
  expect(sessions.map(({ current }) => current).sort()).toEqual([false, true]);
  await client.endSession({ sessionId: sessions.find(({ current }) => !current)?.id ?? '' });
  await expect(createClient({ baseUrl: service.url, credential: other }).getMe()).rejects.toThrow(ApiError);
  expect(await client.endSessions({ keepCurrent: true })).toBeUndefined();
  const exported = JSON.parse(await new Response(await client.exportAccount()).text());
  expect([exported.user.name, exported.marks.length]).toEqual(['Ada King', 1]);
  const again = createClient({ baseUrl: service.url, credential: (await stranger.logIn(credentials)).token });
  expect(await again.logOut()).toBeUndefined();
  await expect(again.logOut()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  // Without mail, the operator makes reset links.
  await expect(stranger.requestPasswordReset({ email })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(client.closeAccount({ password: 'wrong' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  expect(await client.closeAccount({ password: newPassword })).toBeUndefined();
  await expect(client.getMe()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('any number of fingerprints is looked up, and results of others are refused', async () => {
  const { client, markId } = await createRegistrant(service.url);
  const { fingerprint } = await client.createArtifact({ markId, fingerprint: newFile().fingerprint, filename: 'a' });
  const fingerprints = Array.from({ length: 2_001 }, (_, index) =>
    index === 1_500 ? fingerprint : newFile().fingerprint,
  );
  const results = [];
  for await (const result of lookUpMany(client, fingerprints)) results.push(result);
  expect(results.map((result) => result.fingerprint)).toEqual(fingerprints);
  expect(results.flatMap(({ match }, index) => (match === 'artifact' ? [index] : []))).toEqual([1_500]);
  const lying = {
    lookUpFingerprints: async (input: { fingerprints: Fingerprint[] }) => {
      const honest = await client.lookUpFingerprints(input);
      return { results: honest.results.slice(1) };
    },
  };
  await expect(lookUpMany(lying, [fingerprint]).next()).rejects.toThrow(InvalidResponseError);
});

test('an ApiError has the code and the status from the service', async () => {
  const stranger = createClient({ baseUrl: `${service.url}/` });
  const call = stranger.getMe();
  await expect(call).rejects.toBeInstanceOf(ApiError);
  await expect(call).rejects.toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
  await expect(stranger.getManifest({ manifestId: '../..' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(stranger.manifestBytes('unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(stranger.download(`${service.url}/cdn/none.png`)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a creation whose response was lost is repeated without creating a second Artifact', async () => {
  const { client: ada, token, markId } = await createRegistrant(service.url);
  const statuses: number[] = [];
  const lossy = await startScriptedServer(async (request, outgoing) => {
    const body = await buffer(request);
    const { authorization = '', 'idempotency-key': key = '' } = request.headers;
    const headers = { authorization, 'idempotency-key': String(key), 'content-type': 'application/json' };
    const response = await fetch(`${service.url}${request.url}`, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
    });
    statuses.push(response.status);
    if (statuses.length === 1) request.socket.destroy();
    else outgoing.writeHead(response.status).end(await response.text());
  });
  const client = createClientIn(
    { ...defaultEnvironment, sleep: async () => {} },
    { baseUrl: lossy.url, credential: token },
  );
  const { fingerprint } = newFile();
  const made = await client.createArtifact({ markId, fingerprint, filename: 'file' });
  expect(statuses).toEqual([201, 201]);
  expect((await ada.listArtifacts({ markId })).artifacts.map(({ id }) => id)).toEqual([made.id]);
});

test('a call succeeds when the service, which was down, is started again', async () => {
  const settings = { PORT: String(await freePort()), DATABASE_URL: await createMigratedDatabase() };
  const stopped = await startService(settings);
  await stopped.end();
  const sleep = once(async () => void (await startService(settings)));
  const client = createClientIn({ ...defaultEnvironment, sleep }, { baseUrl: stopped.url });
  expect((await client.getReadiness()).status).toBe('ready');
});

function once(work: () => Promise<void>): () => Promise<void> {
  let working: Promise<void> | undefined;
  return () => {
    working ??= work();
    return working;
  };
}

test('an image is returned with its manifest embedded; a file that cannot embed one is registered too', async () => {
  const { client, markId } = await createRegistrant(service.url);
  const png = Buffer.from(
    await sharp({ create: { width: 9, height: 9, channels: 3, background: `#${randomUUID().slice(0, 6)}` } })
      .png()
      .toBuffer(),
  );
  const file = new File([png], 'dot.png', { type: 'image/png' });
  const { image, mediaType, location, manifestUrl } = await client.signImage({ markId, file });
  expect(mediaType).toBe('image/png');
  expect([location, manifestUrl]).toEqual([
    expect.stringContaining(`${service.url}/api/c2pa/manifests/`),
    expect.stringContaining(`${service.url}/cdn/`),
  ]);
  expect(Buffer.from(image ?? []).includes('caBX')).toBe(true);
  const fingerprint = fingerprintOf(createHash('sha256').update(png).digest());
  expect((await client.getArtifact({ fingerprint })).metadata).toMatchObject({ filename: 'dot.png', kind: 'image' });

  const text = randomUUID();
  const note = new File([text], 'note.txt', { type: 'text/plain' });
  expect(await client.signImage({ markId, file: note })).toMatchObject({ image: undefined, mediaType: undefined });
  const ofNote = fingerprintOf(createHash('sha256').update(text).digest());
  expect((await client.getArtifact({ fingerprint: ofNote })).metadata.filename).toBe('note.txt');
  await expect(client.signImage({ markId, file: note })).rejects.toMatchObject({ code: 'CONFLICT' });
});

test('signFile registers a new image, asks for a copy of a registered one, and signs no copy again', async () => {
  const { client, markId } = await createRegistrant(service.url);
  const stranger = await createRegistrant(service.url);
  const { bytes, fingerprint } = toTestFile(await newImage('image/png'));
  const input = { markId, fingerprint, file: bytes, filename: 'dot.png', digitalSourceType: 'digitalArt' } as const;
  const first = await signFile(client, input);
  expect(first).toMatchObject({ isNew: true, mediaType: 'image/png' });
  const second = await signFile(client, { ...input, file: new Blob([bytes]) });
  expect(second).toMatchObject({ isNew: false, location: `${service.url}/api/v1/artifacts/${fingerprint}` });
  const copies = [first, second].map(({ image }) => toTestFile(Buffer.from(image)));
  const artifact = await client.getArtifact({ fingerprint });
  expect(artifact.metadata).toMatchObject({ filename: 'dot.png', digitalSourceType: 'digitalArt' });
  expect(artifact.renditions.map((rendition) => rendition.fingerprint)).toEqual(copies.map((copy) => copy.fingerprint));
  const [copy = input] = copies;
  const again = { ...input, file: bytes, fingerprint: copy.fingerprint };
  await expect(signFile(client, again)).rejects.toThrow(InvalidArgumentError);
  await expect(signFile(stranger.client, input)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const wrongBytes = client.createSignedCopy({ fingerprint, file: new Uint8Array(7) });
  await expect(wrongBytes).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await waitForStatus(client, copy.fingerprint);
  const { renditions } = await client.getArtifact({ fingerprint: copy.fingerprint });
  expect(renditions[0]?.status).toBe('submitted');
});

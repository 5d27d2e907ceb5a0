// A service in a process of its own, with a user who has much of everything, for benchmarks of all operations.

import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exampleArtifact } from '@provenance-registry/core';
import sharp from 'sharp';
import { findFreePort, serviceProgram } from '../chaos/supervisor.mjs';
import { registeredPhoto } from './dearestInputs.mjs';
import { createFolder, runSql, startDatabase } from './support.mjs';

const OPERATOR_TOKEN = 'operator-of-the-benchmark';
const PASSWORD = 'correct horse battery staple';
const MEGABYTE = 1_048_576;
/** Rows of each kind that the user has, besides Artifacts. */
const ROWS = 200;
const ARTIFACTS = 5_000;
const CLAIMS = 100;

/**
 * Starts it, and ends it after the work.
 * @param {(service: Awaited<ReturnType<typeof startFilledService>>) => Promise<void>} work
 */
export async function withFilledService(work) {
  const service = await startFilledService();
  try {
    await work(service);
  } finally {
    await service.close();
  }
}

async function startFilledService() {
  const folder = await createFolder();
  const database = await startDatabase();
  const { host, port: databasePort, user, password, database: name } = database.address;
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const service = spawn(
    process.execPath,
    ['--import', new URL('./loopProbe.mjs', import.meta.url).href, serviceProgram],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        PORT: String(port),
        CHAIN_PORT: String(await findFreePort()),
        DATA_DIR: join(folder, 'data'),
        DATABASE_URL: `postgresql://${user}:${password ?? ''}@${encodeURIComponent(host)}:${databasePort}/${name}`,
        OPERATOR_TOKEN,
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    },
  );
  const close = async () => {
    const ended = once(service, 'exit');
    service.kill('SIGTERM');
    await ended;
    await database.remove();
    await rm(folder, { recursive: true });
  };
  try {
    await untilReady(service);
    const { address } = database;
    return { ...(await fillService(url, address, folder)), url, address, pid: service.pid, measureHold, close };
  } catch (error) {
    await close();
    throw error;
  }

  /** Returns the longest time that the event loop is held in one turn meanwhile, in milliseconds of CPU time. @param {() => Promise<void>} work */
  async function measureHold(work) {
    service.send('start');
    await work();
    service.send('stop');
    const [milliseconds] = await once(service, 'message');
    return Number(milliseconds);
  }
}

/**
 * Users, files and rows.
 * @param {string} url
 * @param {import('../packages/server/dist/database/connection.js').ServerAddress} address
 * @param {string} folder
 */
async function fillService(url, address, folder) {
  const call = callsTo(url);
  const reader = await createAccount(call, 'reader');
  const writer = await createAccount(call, 'writer');
  const other = await createAccount(call, 'other');
  await fill(address, reader);
  const photos = await writePhotos(folder);
  const { token: leavingToken } = await call('POST', '/api/v1/auth/login', '', {
    email: writer.email,
    password: PASSWORD,
  });
  const fixture = await registerPhotos(url, call, {
    reader: { token: reader.token, values: reader.values },
    writer: { token: writer.token, values: writer.values },
    leavingToken,
    operatorToken: OPERATOR_TOKEN,
    ...photos,
  });
  // `other` is another user, who is delayed or not.
  return { fixture, other };
}

/** @param {import('node:child_process').ChildProcess} service */
async function untilReady({ stderr }) {
  let output = '';
  for await (const chunk of stderr ?? []) {
    output += chunk;
    if (output.includes('is ready')) break;
  }
  if (!output.includes('is ready')) throw new Error(output);
  stderr?.resume();
}

/** @typedef {(method: string, path: string, token?: string, body?: object) => Promise<any>} Call */

/** @param {string} url @returns {Call} */
function callsTo(url) {
  return async (method, path, token = '', body = undefined) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** A user of the highest tier with an organization, a Mark and an Artifact. @param {Call} call @param {string} name */
async function createAccount(call, name) {
  const email = `${name}@example.com`;
  const { token, user } = await call('POST', '/api/v1/auth/signup', '', { email, password: PASSWORD, name });
  await call('PUT', '/api/v1/subscription', token, { tier: 'enterprise' });
  const { id: organizationId } = await call('POST', '/api/v1/organizations', token, { name });
  await call('PUT', `/api/v1/organizations/${organizationId}/usage-units`, token, { purchased: 10 * ROWS });
  const { id: markId } = await call('POST', '/api/v1/marks', token, { name });
  const { id: manifestId, fingerprint } = await call('POST', '/api/v1/artifacts', token, {
    markId,
    fingerprint: `0x${randomBytes(32).toString('hex')}`,
    filename: 'photo.jpg',
  });
  await untilOnChain(call, token, fingerprint);
  const unknown = Object.fromEntries(
    ['keyId', 'sessionId', 'webhookId', 'invitationId', 'claimId'].map((key) => [key, randomUUID()]),
  );
  const values = {
    ...unknown,
    ...{ markId, organizationId, userId: user.id, fingerprint, manifestId, representativeId: markId },
    ...{ previousFingerprint: fingerprint, alg: 'com.service.sha256', prefix: fingerprint.slice(2, 6) },
    ...{ value: Buffer.from(fingerprint.slice(2), 'hex').toString('base64'), domain: 'lovelace.example', after: '0' },
    // Nothing is hidden from the other measurements.
    ...{ visibility: 'public', contentVisibility: 'public', allowAiTraining: false },
  };
  return { id: String(user.id), email, token: String(token), values };
}

/** @param {Call} call @param {string} token @param {string} fingerprint */
async function untilOnChain(call, token, fingerprint) {
  for (;;) {
    const { status } = await call('GET', `/api/v1/artifacts/${fingerprint}?wait=10`, token);
    if (status === 'submitted') return;
  }
}

/**
 * Rows that would take long to make through the API.
 * @param {import('../packages/server/dist/database/connection.js').ServerAddress} address
 * @param {Awaited<ReturnType<typeof createAccount>>} user
 */
async function fill(address, { id, values }) {
  const { markId, organizationId, fingerprint } = values;
  const metadata = JSON.stringify(exampleArtifact.metadata).replaceAll("'", "''");
  const [claimId, webhookId] = [randomUUID(), randomUUID()];
  Object.assign(values, { claimId, webhookId });
  // Without the triggers that keep rows as they are.
  await runSql(
    address,
    `set session_replication_role = replica;
    insert into artifacts (id, mark_id, created_by, status, fingerprint, manifest_hash, metadata)
      select gen_random_uuid(), '${markId}', '${id}', 2, sha256(number::text::bytea), sha256('x'), '${metadata}'
      from generate_series(1, ${ARTIFACTS}) number;
    insert into marks (id, name, search_name, visibility, license, admin_id, owner_id, ai_preferences)
      select gen_random_uuid(), repeat('n', 120), repeat('n', 120), 'public', 'CC-BY-4.0', '${id}', '${id}', null
      from generate_series(1, ${ROWS});
    insert into users (id, name) select gen_random_uuid(), repeat('n', 120) from generate_series(1, ${ROWS});
    insert into organization_members (organization_id, user_id, role)
      select '${organizationId}', id, 'member' from users where email is null;
    update organizations set member_count = ${ROWS} + 1 where id = '${organizationId}';
    insert into mark_members (mark_id, user_id) select '${markId}', id from users where email is null;
    insert into sessions (id, user_id, created_at, expires_at, last_used_at, user_agent)
      select gen_random_uuid(), '${id}', now(), now() + interval '7 days', now(), repeat('a', 255)
      from generate_series(1, ${ROWS});
    insert into invitations (id, organization_id, token_hash, requires_email, invited_by, expires_at)
      select gen_random_uuid(), '${organizationId}', sha256(number::text::bytea), false, '${id}', now() + interval '7 days'
      from generate_series(1, ${ROWS}) number;
    insert into invitations (id, mark_id, token_hash, requires_email, invited_by, expires_at)
      select gen_random_uuid(), '${markId}', sha256(('m' || number)::bytea), false, '${id}', now() + interval '7 days'
      from generate_series(1, ${ROWS}) number;
    insert into mark_preferences (mark_id, since, allow_ai_training)
      select '${markId}', now() - number * interval '1 minute', true from generate_series(1, ${ROWS}) number;
    insert into claims (id, artifact_id, contested_mark_id, claimant_id, kind, statement, evidence_state)
      select case number when 1 then '${claimId}' else gen_random_uuid() end, artifact.id, '${markId}', claimant.id,
        'statement', repeat('s', 2000), 'none'
      from artifacts artifact, (select id, row_number() over () as number from users where email is null) claimant
      where fingerprint = decode('${fingerprint.slice(2)}', 'hex') and number <= ${CLAIMS};
    insert into events (type, actor_id, organization_id, mark_id, user_id, data)
      select 'mark.created', '${id}', '${organizationId}', '${markId}', '${id}', '{}' from generate_series(1, ${10 * ROWS});
    insert into webhooks (id, user_id, created_by, url, created_at, created_event_id, position, run_at, paused_at, pause_reason)
      values ('${webhookId}', '${id}', '${id}', 'https://hooks.example/events', now(), 0, 0, now(), now(), 'requested');
    insert into webhook_deliveries (webhook_id, position, attempt, at, duration_ms, error)
      select '${webhookId}', number, 1, now(), 10, repeat('e', 200) from generate_series(1, ${ROWS}) number`,
  );
  await runSql(address, 'vacuum analyze');
}

/** Photos of noise, which no encoder makes small. @param {string} folder */
async function writePhotos(folder) {
  const side = 2_400;
  const noise = sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } });
  const jpeg = await noise.jpeg({ quality: 95, chromaSubsampling: '4:4:4' }).toBuffer();
  /** With bytes behind its end, and room for some that make another file of it. @param {string} name @param {number} size */
  async function write(name, size) {
    const path = join(folder, name);
    await writeFile(path, Buffer.concat([jpeg, Buffer.alloc(Math.max(0, size - jpeg.length - 1_024))]));
    return path;
  }
  return {
    photo: await write('photo.jpg', 20_000_000),
    largePhoto: await write('large.jpg', 32 * MEGABYTE),
    signedPhoto: join(folder, 'signed.jpg'),
    smallPhoto: await write('small.jpg', 0),
  };
}

/**
 * Registers photos to sign copies of, and has one signed.
 * @param {string} url
 * @param {Call} call
 * @param {import('./dearestInputs.mjs').Fixture} fixture
 */
async function registerPhotos(url, call, fixture) {
  const { token, values } = fixture.writer;
  const artifacts = Array.from({ length: 100 }, (_, number) => ({
    markId: values['markId'],
    fingerprint: registeredPhoto(fixture.largePhoto, number).fingerprint,
    filename: 'photo.jpg',
  }));
  await call('POST', '/api/v1/artifacts/batch', token, { artifacts });
  const { fingerprint, parts } = registeredPhoto(fixture.smallPhoto, 0);
  const form = new FormData();
  for (const [name, value] of Object.entries({ markId: String(values['markId']), fingerprint })) form.set(name, value);
  form.set('file', new Blob(parts.map((part) => new Uint8Array(part))), 'photo.jpg');
  const signed = await fetch(`${url}/api/c2pa/manifests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, accept: 'image/*' },
    body: form,
  });
  if (signed.status !== 201) throw new Error(`signing: ${signed.status} ${await signed.text()}`);
  await writeFile(fixture.signedPhoto, new Uint8Array(await signed.arrayBuffer()));
  return fixture;
}

// Names that deceive or look alike, and what is shown instead of trusting them: through HTTP, on the page's heads and on
// the badge.

import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, statusAndCode, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  creationPaths,
  fieldParts,
  filePart,
  fingerprintOf,
  getArtifact,
  newFingerprint,
  type Registry,
  sendForm,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { call, signUp } from '../../../../test/support/service.js';
import { openDatabase } from '../../src/database/connection.js';
import { createStore } from '../../src/database/store.js';
import { createUseBuffers } from '../../src/database/useBuffer.js';

const CYRILLIC_E = '\u0435';
const ZERO_WIDTH_SPACE = '\u200B';

let service: Registry;
let reuters: TestUser;
let impostor: TestUser;

beforeAll(async () => {
  service = await startRegistry(await unreachableChain());
  [reuters, impostor] = [await createUser(service, 'enterprise'), await createUser(service, 'enterprise')];
});

const newMark = async (user: TestUser, name: string, fields = {}) =>
  (await createMark(service, user, { name, ...fields })).body;
const rename = (user: TestUser, id: string, name: string) =>
  call(service, 'PUT', `/api/v1/marks/${id}`, { token: user.token, body: { name } });
const namesakesOf = async (name: string) => {
  const { body } = await call(service, 'GET', `/api/v1/public/namesakes?name=${encodeURIComponent(name)}`);
  return body.marks.map(({ id }: { id: string }) => id);
};

/** What link previews, browsers without scripts and other sites show of an Artifact. */
async function showArtifact(fingerprint: string) {
  const [page, badge] = await Promise.all(
    [`/artifacts/${fingerprint}`, `/badge/${fingerprint}.svg`].map(async (path) => {
      const response = await fetch(`${service.url}${path}`, { headers: { accept: 'text/html' } });
      return (await response.text()).replace(/[\u2068\u2069]/g, '');
    }),
  );
  const find = (text: string | undefined, pattern: RegExp) => pattern.exec(text ?? '')?.[1];
  return {
    title: find(page, /property="og:title" content="([^"]*)"/),
    description: find(page, /property="og:description" content="([^"]*)"/),
    plain: find(page, /<noscript>([\s\S]*)<\/noscript>/),
    badge: find(badge, /<title>([^<]*)<\/title>/),
  };
}

const deceptive = [`Reu${ZERO_WIDTH_SPACE}ters`, '✅ Reuters (verified)', `V${CYRILLIC_E}rified`];

describe('a name that deceives', () => {
  it.each(deceptive)('is refused for Marks, organizations and users, and changes nothing: %j', async (name) => {
    const { id } = await newMark(impostor, 'Plain');
    const { token } = impostor;
    const responses = [
      await createMark(service, impostor, { name }),
      await rename(impostor, id, name),
      await call(service, 'POST', '/api/v1/organizations', { token, body: { name } }),
      await call(service, 'PATCH', '/api/v1/me', { token, body: { name } }),
      (await signUp(service, { name })).response,
    ];
    for (const { status, body } of responses) {
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
      expect(body.problems).toEqual([{ path: '/name', message: expect.stringContaining('check marks') }]);
    }
    expect((await call(service, 'GET', `/api/v1/public/marks/${id}`)).body.name).toBe('Plain');
  });

  it('from before stays readable', async () => {
    const { id } = await newMark(impostor, 'Old');
    await query(service.databaseUrl, 'update marks set name = $2 where id = $1', [id, deceptive[1]]);
    expect((await call(service, 'GET', `/api/v1/public/marks/${id}`)).body.name).toBe(deceptive[1]);
  });
});

describe('an impersonator', () => {
  it('may have the name, and everything that shows it says what is verified and who else has it', async () => {
    const genuine = await newMark(reuters, 'Reuters');
    expect(genuine.namesakeCount).toBe(0);
    const fake = await newMark(impostor, `R${CYRILLIC_E}UTERS.`);
    expect(fake).toMatchObject({ namesakeCount: 1, verifiedDomains: [], artifactCount: 0 });
    // A private Mark is not found by its name, and is told nothing about others.
    expect(await newMark(impostor, 'Reuters', { visibility: 'private' })).toMatchObject({ namesakeCount: 0 });
    expect(await namesakesOf('reuters')).toEqual([genuine.id, fake.id]);
    expect(await namesakesOf(deceptive[0] ?? '')).toEqual([genuine.id, fake.id]);
    expect(await namesakesOf('Routers')).toEqual([]);

    await query(
      service.databaseUrl,
      `insert into mark_domains (id, mark_id, domain, claimed_by, method, verified_at, last_success_at)
       values (gen_random_uuid(), $1, 'reuters.com', $2, 'dns', now(), now())`,
      [genuine.id, reuters.id],
    );
    const register = async (user: TestUser, markId: string) => {
      const fields = { markId, fingerprint: newFingerprint(), filename: 'photo.jpg' };
      const { body } = await createArtifact(service, user, fields);
      await query(service.databaseUrl, 'update artifacts set status = 2 where id = $1', [body.id]);
      return showArtifact(fields.fingerprint);
    };
    const [ofGenuine, ofFake] = [await register(reuters, genuine.id), await register(impostor, fake.id)];
    expect(ofGenuine.title).toBe('photo.jpg, registered by Reuters (reuters.com)');
    expect(ofGenuine.badge).toMatch(/^Registered by Reuters on .*, reuters\.com · Mark since .* · 1 Artifact$/);
    expect(ofFake.title).toBe(`photo.jpg, registered by R${CYRILLIC_E}UTERS. (no verified identity)`);
    expect(ofFake.badge).toMatch(/, No verified identity · Mark since .* · 1 Artifact$/);
    for (const text of [ofFake.description, ofFake.plain]) {
      expect(text).toContain('No verified identity.');
      expect(text).toContain('Another public Mark has a name that looks like this one.');
    }
  });

  it('that takes the name later is shown with the name at registration too', async () => {
    await newMark(reuters, 'Agence Example');
    const { id } = await newMark(impostor, 'Holiday photos');
    const fields = { markId: id, fingerprint: newFingerprint(), filename: 'photo.jpg' };
    const { body } = await createArtifact(service, impostor, fields);
    await query(service.databaseUrl, 'update artifacts set status = 2 where id = $1', [body.id]);
    expect((await showArtifact(fields.fingerprint)).badge).toMatch(/^Registered by Holiday photos on .*, No verified/);

    const renamed = await rename(impostor, id, 'Agence Exarnple');
    expect(renamed).toMatchObject({ status: 200, body: { namesakeCount: 1 } });
    const artifact = (await getArtifact(service, reuters, fields.fingerprint)).body;
    expect([artifact.metadata.mark.name, artifact.mark.name]).toEqual(['Holiday photos', 'Agence Exarnple']);
    const shown = await showArtifact(fields.fingerprint);
    expect(shown.title).toBe(
      'photo.jpg, registered by Holiday photos, now called Agence Exarnple (no verified identity)',
    );
    expect(shown.badge).toMatch(
      /^Registered by Holiday photos on .*, Now called Agence Exarnple · No verified identity/,
    );
    for (const text of [shown.description, shown.plain]) {
      expect(text).toContain('Registered under the Mark Holiday photos ');
      expect(text).toContain('Registered as Holiday photos; the Mark is now called Agence Exarnple.');
    }
  });
});

it('Names from before are compared as soon as their skeletons are computed', async () => {
  const names = ['Skeleton Press', 'SKELETON PRESS.'];
  const ids = [];
  for (const name of names) ids.push((await newMark(impostor, name)).id);
  await query(service.databaseUrl, 'update marks set name_skeleton = null where id = any($1)', [ids]);
  expect(await namesakesOf('skeleton press')).toEqual([]);
  const database = openDatabase({ connectionString: service.databaseUrl });
  const { marks } = createStore(database, createUseBuffers(database));
  await marks.addMissingSkeletons(500);
  await database.destroy();
  expect(await namesakesOf('skeleton press')).toEqual(ids);
});

describe('the statement of authorship', () => {
  it.each(creationPaths)('and whether the service read the file are recorded by %s', async (path) => {
    const { id: markId } = await newMark(reuters, 'Statements');
    const read = async (fingerprint: string) => {
      const { body } = await call(service, 'GET', `/api/v1/public/artifacts/${fingerprint}`);
      return { authorshipStated: body.authorshipStated, fileSeen: body.fileSeen };
    };
    const [silent, stated] = [newFingerprint(), newFingerprint()];
    const file = Buffer.from(`a file for ${path}`);
    const post = (fields: object) =>
      call(service, 'POST', path, { token: reuters.token, body: { markId, filename: 'a', ...fields } });
    await post({ fingerprint: silent });
    await post({ fingerprint: stated, authorshipStated: true });
    const fields = { markId, fingerprint: fingerprintOf(file), filename: 'a', authorshipStated: 'true' };
    await sendForm(service, reuters, [...fieldParts(fields), filePart(file)], { path });
    expect(await read(silent)).toEqual({ authorshipStated: false, fileSeen: false });
    expect(await read(stated)).toEqual({ authorshipStated: true, fileSeen: false });
    expect(await read(fingerprintOf(file))).toEqual({ authorshipStated: true, fileSeen: true });
    const [ofStated, ofFile] = [await showArtifact(stated), await showArtifact(fingerprintOf(file))];
    expect(ofStated.plain).toContain('nothing shows that the registrant had the file');
    expect(ofStated.plain).toContain('stated to have made this file');
    expect(ofFile.plain).toContain('The service read this file at registration.');
    expect(statusAndCode(await post({ fingerprint: newFingerprint(), authorshipStated: 'yes' }))).toEqual([
      400,
      'BAD_REQUEST',
    ]);
  });

  it('is part of the request that an idempotency key stands for', async () => {
    const { id: markId } = await newMark(reuters, 'Keys');
    const body = { markId, fingerprint: newFingerprint(), filename: 'a', authorshipStated: true };
    const post = (changes: object) =>
      call(service, 'POST', '/api/v1/artifacts', {
        token: reuters.token,
        headers: { 'idempotency-key': 'one' },
        body: { ...body, ...changes },
      });
    expect((await post({})).body).toMatchObject({ authorshipStated: true });
    expect((await post({})).body).toMatchObject({ authorshipStated: true });
    expect(statusAndCode(await post({ authorshipStated: false }))).toEqual([409, 'CONFLICT']);
  });
});

// What the log has, and what it never has.

import { pino } from 'pino';
import { describe, expect, inject, it } from 'vitest';
import { createMark, createUser } from '../../../../test/support/accounts.js';
import { createArtifact, type Fingerprint, newArtifact, newFingerprint } from '../../../../test/support/artifacts.js';
import { createDatabase, query } from '../../../../test/support/postgres.js';
import { call, signUp, startServiceProcess } from '../../../../test/support/service.js';
import { buildBareServer } from '../support/bareServer.js';

describe('the log', () => {
  it('is JSON with one line per event, without passwords, tokens, secrets, queries and fingerprints', async () => {
    const databaseUrl = await createDatabase(inject('postgresUrl'));
    const logged = await startServiceProcess({
      DATABASE_URL: databaseUrl.replace('tester@', 'tester:pass-in-url@'),
      JWT_SECRET: 'jwt-secret-of-this-test-0123456789',
      OPERATOR_TOKEN: 'operator-token-of-this-test',
    });
    const { token, id, email } = await signUp(logged, { password: 'password-of-this-test' });
    await call(logged, 'POST', '/api/v1/auth/login', { body: { email, password: 'wrong-password-of-this-test' } });
    await call(logged, 'GET', '/api/v1/me?token=query-of-this-test', { token });
    await call(logged, 'GET', '/api/v1/me', { token: 'bad-token-of-this-test' });
    await call(logged, 'PUT', `/api/operator/users/${id}/tier`, {
      token: 'operator-token-of-this-test',
      body: { tier: 'creator' },
    });
    await call(logged, 'GET', '/stop-mail/token-in-a-link-of-this-test');
    const owner = await createUser(logged);
    const markId = String((await createMark(logged, owner)).body.id);
    const artifact = newArtifact({ markId });
    expect((await createArtifact(logged, owner, artifact)).status).toBe(201);
    expect((await createArtifact(logged, owner, artifact)).status).toBe(409);
    const unknown = newFingerprint();
    for (const fingerprint of [artifact.fingerprint, unknown]) await readEverywhere(logged.url, fingerprint);
    // PostgreSQL names all values of a row that it refuses.
    await query(databaseUrl, 'alter table artifacts add constraint refused_by_this_test check (false) not valid');
    const refused = newArtifact({ markId });
    expect((await createArtifact(logged, owner, refused)).status).toBe(500);
    await logged.end();

    const { log, messages } = logged.output();
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const routes = lines.filter(({ msg }) => msg === 'request').map(({ route }) => route);
    expect(routes).toEqual(
      expect.arrayContaining(['/', '/api/v1/me', '/artifacts/*', '/api/v1/public/artifacts/:fingerprint']),
    );
    expect(routes.filter((route) => route === 'unknown')).toHaveLength(2);
    expect(log).toContain('refused_by_this_test');
    expect(log + messages).not.toMatch(/of-this-test|pass-in-url/);
    for (const { fingerprint } of [artifact, { fingerprint: unknown }, refused]) {
      for (const form of formsOf(fingerprint)) expect(log + messages).not.toContain(form);
    }
    for (const secret of [token, owner.token, email, owner.email]) expect(log).not.toContain(secret);
  });
});

async function readEverywhere(url: string, fingerprint: Fingerprint): Promise<void> {
  const binding = encodeURIComponent(Buffer.from(fingerprint.slice(2), 'hex').toString('base64'));
  for (const path of [
    `/?fingerprint=${fingerprint}`,
    `/artifacts/${fingerprint}`,
    `/api/v1/public/artifacts/${fingerprint}`,
    `/api/v1/public/artifacts/%30${fingerprint.slice(1)}`,
    `/badge/${fingerprint}.svg`,
    `/api/c2pa/matches/byBinding?alg=sha256&value=${binding}`,
    `/no/such/path/${fingerprint}`,
  ]) {
    await call({ url }, 'GET', path);
  }
}

/** The start of the fingerprint in each notation. A byte less than all of it would still tell which one it is. */
function formsOf(fingerprint: Fingerprint): string[] {
  const bytes = Buffer.from(fingerprint.slice(2), 'hex');
  const start = bytes.subarray(0, 6);
  return [start.toString('hex'), start.toString('base64'), start.toString('base64url')];
}

describe('a log with LOG_READS_SAMPLE=0', () => {
  it('has writes and errors, and no successful read', async () => {
    const lines: string[] = [];
    const logger = pino({ base: null }, { write: (line: string) => void lines.push(line) });
    const server = buildBareServer({}, { logger, logReadsSample: 0 });
    const url = await server.listen({ host: '127.0.0.1', port: 0 });
    // Slow reads are logged: the first one makes the document, which may take long on a busy machine.
    await call({ url }, 'GET', '/api/openapi.json');
    lines.length = 0;
    for (const [method, path] of [
      ['GET', '/api/openapi.json'],
      ['GET', '/no/such/path'],
      ['POST', '/api/v1/auth/login'],
    ] as const) {
      await call({ url }, method, path);
    }
    await server.close();
    const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    expect(logged.map(({ method, status }) => [method, status])).toEqual([
      ['GET', 404],
      ['POST', 400],
    ]);
  });
});

describe('LOG_LEVEL', () => {
  it('leaves out what is below it', async () => {
    const quiet = await startServiceProcess({ LOG_LEVEL: 'warn' });
    await call(quiet, 'GET', '/api/openapi.json');
    expect(await quiet.end()).toBe(0);
    expect(quiet.output().log).toBe('');
  });
});

// The OpenAPI document: valid, complete, and every example in it runs.

import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { api, errorStatus, type Operation } from '@provenance-registry/core';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { generateSource } from 'oazapfts';
import { TOTP } from 'otpauth';
import { Value } from 'typebox/value';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  addMarkMember,
  addMember,
  createMark,
  createOrganization,
  createUser,
  type TestUser,
} from '../../../../test/support/accounts.js';
import { type MailServer, startMailServer } from '../../../../test/support/mailServer.js';
import { call, type Service, startService, temporaryFolder, waitForLog } from '../../../../test/support/service.js';
import { contest, contestWithFile } from '../support/claims.js';
import { asStamper, makeAuthority, makeToken } from '../support/timestampForge.js';

const run = promisify(execFile);
const OPERATOR_TOKEN = 'operator-of-this-test';

let service: Service;
let mailServer: MailServer;
let document: string;

beforeAll(async () => {
  mailServer = await startMailServer();
  service = await startService({ OPERATOR_TOKEN, ...mailServer.settings, DOWNLOADS_SECONDS: '1' });
  document = await (await fetch(`${service.url}/api/openapi.json`)).text();
});

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 and passes a linter with all recommended rules, examples included', async () => {
    expect(JSON.parse(document).openapi).toMatch(/^3\.1\./);
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        'no-invalid-media-type-examples': 'error',
        'no-invalid-schema-examples': 'error',
        // The default URL is http://127.0.0.1.
        'no-server-example.com': 'off',
        // Health and metrics have no client errors.
        'operation-4xx-response': 'error',
      },
    });
    const problems = await lintFromString({ source: document, config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('has an example of the request and the response of every operation', () => {
    const { paths } = JSON.parse(document);
    for (const operation of Object.values<Operation>(api)) {
      const described = paths[operation.path][operation.method.toLowerCase()];
      expect(described.operationId).toBe(operation.id);
      const { content } = described.responses[operation.success.status];
      for (const [mediaType, { example, schema }] of Object.entries<{ example?: unknown; schema: object }>(
        content ?? {},
      )) {
        const isFile = 'format' in schema && schema.format === 'binary';
        expect([operation.id, mediaType, example !== undefined]).toEqual([operation.id, mediaType, !isFile]);
      }
      if (operation.body) expect(described.requestBody.content['application/json'].example).toBeDefined();
      expect(described['x-codeSamples'][0].source).toContain(service.url);
    }
  });

  it('documents no path that the service does not serve', async () => {
    for (const operation of Object.values<Operation>(api)) {
      const path = operation.path.replace(/\{\w+\}/g, crypto.randomUUID());
      const { status, body } = await call(service, operation.method, path);
      expect([operation.id, status === 405 || /^Unknown route/.test(body.error)]).toEqual([operation.id, false]);
    }
  });

  it('describes files as other tools expect them, and the headers of each response', () => {
    const { paths } = JSON.parse(document);
    const form = paths['/api/v1/artifacts'].post.requestBody.content['multipart/form-data'].schema;
    expect(form.properties.file).toMatchObject({ type: 'string', format: 'binary' });
    const { 200: found, 503: busy } = paths['/api/c2pa/manifests/{manifestId}'].get.responses;
    expect(found.content['application/c2pa'].schema).toMatchObject({ type: 'string', format: 'binary' });
    expect(Object.keys(found.headers)).toEqual(['X-Request-Id', 'Vary']);
    expect(Object.keys(busy.headers)).toEqual(['X-Request-Id', 'Vary', 'Retry-After']);
    const { 201: signed, 401: anonymous } = paths['/api/c2pa/manifests'].post.responses;
    expect(Object.keys(signed.content)).toEqual(['application/json', 'image/*']);
    expect(Object.keys(signed.headers)).toEqual(['X-Request-Id', 'Location', 'Vary', 'Link']);
    expect(Object.keys(anonymous.headers)).toEqual(['X-Request-Id', 'Vary', 'WWW-Authenticate']);
    expect(Object.keys(paths['/.well-known/provenance-registry'].get.responses[304].headers)).toContain('ETag');
  });

  it('has a closed set of error codes, and patterns that all languages can read', () => {
    const { components } = JSON.parse(document);
    expect(components.schemas.ErrorBody.properties.code).toEqual({ $ref: '#/components/schemas/ErrorCode' });
    expect(components.schemas.ErrorCode.enum).toEqual(Object.keys(errorStatus));
    const patterns = [...document.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) =>
      String(JSON.parse(text)),
    );
    expect(patterns.length).toBeGreaterThan(10);
    for (const pattern of patterns) {
      expect(() => new RegExp(pattern)).not.toThrow();
      // Python, Go and Java share no escapes of Unicode, and Go has no look-around.
      expect(pattern).not.toMatch(/\\[pPu]|\(\?/);
    }
  });
});

describe('a client that oazapfts generates from it', () => {
  it('compiles, registers files in both ways, finds them and reads a manifest', async () => {
    const folder = await temporaryFolder();
    const repository = new URL('../../../../', import.meta.url).pathname;
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'openapi.json'), document);
    await writeFile(join(folder, 'client.ts'), await generateSource(join(folder, 'openapi.json')));
    await copyFile(new URL('../generated/roundTrip.mts', import.meta.url), join(folder, 'roundTrip.mts'));
    const compiler = [join(repository, 'node_modules/typescript/bin/tsc'), '--strict', '--module', 'nodenext'];
    await run(process.execPath, [...compiler, '--target', 'es2022', '--types', 'node', 'roundTrip.mts'], {
      cwd: folder,
    });
    const { stdout } = await run(process.execPath, ['roundTrip.mjs', service.url], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      isStated: true,
      isUploaded: true,
      metadata: expect.objectContaining({ filename: 'b.bin', size: 1000, lastModified: '2026-06-01T00:00:00.000Z' }),
      isFound: true,
      manifestType: 'application/c2pa',
      manifestStart: 'jumb',
      refusal: ['BAD_REQUEST', ['/fingerprint', '/filename']],
    });
  });
});

describe('every example', () => {
  it('runs unchanged in a shell, with the documented response', async () => {
    const { paths } = JSON.parse(document);
    const shell: Record<string, string> = { PATH: process.env['PATH'] ?? '', OPERATOR_TOKEN };
    for (const operation of Object.values<Operation>(api)) {
      const described = paths[operation.path][operation.method.toLowerCase()];
      const command = `${described['x-codeSamples'][0].source} --silent --show-error --write-out '\\n%{http_code} %header{location}'`;
      const env = { ...shell, ...(await preparations[operation.id]?.(shell)) };
      const { stdout } = await run('sh', ['-c', command], { env });
      const [, text = '', status, location = ''] = /^([\s\S]*)\n(\d+) (\S*)$/.exec(stdout) ?? [];
      expect([operation.id, Number(status)]).toEqual([operation.id, operation.success.status]);
      if (operation.success.status === 201) {
        expect([operation.id, location]).toEqual([operation.id, expect.stringMatching(`^${service.url}/api/`)]);
        expect(location).not.toContain('undefined');
        // 404 if there were no such path.
        expect((await fetch(location, { method: 'PROPFIND' })).status).toBe(405);
      }
      if (!operation.success.schema || operation.success.mediaType) continue;
      const answer = JSON.parse(text);
      expect(Value.Errors(operation.success.schema, answer)).toEqual([]);
      const remembered = variables[operation.id];
      if (remembered) Object.assign(shell, remembered(answer));
    }
  });
});

/** Values that a user would copy from a response into the next examples. */
const variables: Record<
  string,
  (answer: {
    id: string;
    token: string;
    fingerprint: string;
    domain: string;
    user: { id: string };
  }) => Record<string, string>
> = {
  signUp: ({ token, user }) => ({ TOKEN: token, USER_ID: user.id }),
  createOrganization: ({ id }) => ({ ORGANIZATION_ID: id }),
  createOrganizationInvitation: ({ id }) => ({ INVITATION_ID: id }),
  createMarkInvitation: ({ id }) => ({ INVITATION_ID: id }),
  createMark: ({ id }) => ({ MARK_ID: id }),
  claimDomain: ({ domain }) => ({ DOMAIN: domain }),
  createClaim: ({ id }) => ({ CLAIM_ID: id }),
  createApiKey: ({ id }) => ({ KEY_ID: id }),
  createArtifact: ({ id, fingerprint }) => ({
    MANIFEST_ID: id,
    FINGERPRINT: fingerprint,
    PREFIX: String(fingerprint).slice(2, 6),
  }),
};

/** Variables for one example only: mostly of users that it uses up. */
const preparations: Record<string, (shell: Readonly<Record<string, string>>) => Promise<Record<string, string>>> = {
  logOut: createAccount,
  verifyEmail: async () => ({ LINK_TOKEN: (await mailServer.nextMail((await createUser(service)).email)).token }),
  confirmPasswordReset: async () => {
    const { email } = await createUser(service);
    await mailServer.nextMail(email);
    await call(service, 'POST', '/api/v1/auth/password-reset', { body: { email } });
    return { LINK_TOKEN: (await mailServer.nextMail(email)).token };
  },
  changePassword: createAccount,
  changeEmail: createAccount,
  resendVerification: createAccount,
  startTotp: createAccount,
  confirmTotp: startSecondFactor,
  removeTotp: async () => {
    const { TOKEN, TOTP_CODE } = await startSecondFactor();
    await call(service, 'POST', '/api/v1/me/totp/confirm', { token: TOKEN, body: { code: TOTP_CODE } });
    return { TOKEN };
  },
  endSession: async () => {
    const { TOKEN } = await createAccount();
    const [session] = (await call(service, 'GET', '/api/v1/me/sessions', { token: TOKEN })).body;
    return { TOKEN, SESSION_ID: session.id };
  },
  endSessions: createAccount,
  getDownloads: async () => {
    await waitForLog(service, 'downloads: a new version is published');
    return {};
  },
  closeAccount: createAccount,
  updateOrganizationMember: addToOrganization,
  removeOrganizationMember: addToOrganization,
  transferOrganization: async () => {
    const [owner, member] = [await createUser(service, 'enterprise'), await createUser(service, 'enterprise')];
    const organizationId = await createOrganization(service, owner, 1);
    expect((await addMember(service, owner, organizationId, member)).status).toBe(200);
    return { TOKEN: owner.token, ORGANIZATION_ID: organizationId, MEMBER_ID: member.id };
  },
  removeMarkMember: async (shell) => ({ USER_ID: await addToMark(shell) }),
  putMarkAdmin: async ({ TOKEN = '' }) => {
    const { id } = (await createMark(service, { token: TOKEN })).body;
    return { MARK_ID: id, MEMBER_ID: await addToMark({ TOKEN, MARK_ID: id }) };
  },
  previewInvitation: inviteToMark,
  acceptInvitation: inviteToMark,
  declineInvitation: inviteToMark,
  createClaim: async () => ({ TOKEN: (await createClaimant()).token }),
  getClaimEvidence: async ({ FINGERPRINT = '' }) => {
    const signer = await makeAuthority({ extensions: asStamper() });
    const token = makeToken({ imprint: Buffer.from(FINGERPRINT.slice(2), 'hex'), signer });
    return { CLAIM_ID: (await contestWithFile(service, await createClaimant(), FINGERPRINT, token)).body.id };
  },
  withdrawClaim: async ({ FINGERPRINT = '' }) => {
    const claimant = await createClaimant();
    return { TOKEN: claimant.token, CLAIM_ID: (await contest(service, claimant, FINGERPRINT)).body.id };
  },
  concedeClaim: async ({ FINGERPRINT = '' }) => {
    const claimant = await createClaimant();
    const markId = (await createMark(service, claimant)).body.id;
    return { CLAIM_ID: (await contest(service, claimant, FINGERPRINT, { markId })).body.id };
  },
};

/** The address is verified, as the service requires where it sends mail. */
async function createClaimant(): Promise<TestUser> {
  const user = await createUser(service);
  const { token } = await mailServer.nextMail(user.email);
  expect((await call(service, 'POST', '/api/v1/auth/verify-email', { body: { token } })).status).toBe(204);
  return user;
}

async function createAccount(): Promise<{ TOKEN: string }> {
  return { TOKEN: (await createUser(service)).token };
}

async function startSecondFactor(): Promise<{ TOKEN: string; TOTP_CODE: string }> {
  const { TOKEN } = await createAccount();
  const body = { password: 'correct horse battery' };
  const { secret } = (await call(service, 'POST', '/api/v1/me/totp', { token: TOKEN, body })).body;
  return { TOKEN, TOTP_CODE: new TOTP({ secret }).generate() };
}

async function addToOrganization({ TOKEN = '', ORGANIZATION_ID = '' }): Promise<{ USER_ID: string }> {
  const user = await createUser(service);
  expect((await addMember(service, { token: TOKEN }, ORGANIZATION_ID, user)).status).toBe(200);
  return { USER_ID: user.id };
}

async function addToMark({ TOKEN = '', MARK_ID = '' }): Promise<string> {
  const user = await createUser(service);
  expect((await addMarkMember(service, { token: TOKEN }, MARK_ID, user)).status).toBe(200);
  return user.id;
}

async function inviteToMark({ TOKEN = '', MARK_ID = '' }): Promise<{ TOKEN: string; LINK_TOKEN: string }> {
  const path = `/api/v1/marks/${MARK_ID}/invitations`;
  const { body } = await call(service, 'POST', path, { token: TOKEN, body: {} });
  return { ...(await createAccount()), LINK_TOKEN: body.token };
}

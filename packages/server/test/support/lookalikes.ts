// A service with open and secret Marks, and how tests register and search images by their codes.

import { Lookalike } from '@provenance-registry/core';
import { Value } from 'typebox/value';
import { expect } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  BOUNDARY,
  type CreationPath,
  createArtifact,
  fieldParts,
  filePart,
  fingerprintOf,
  formBody,
  newArtifact,
  sendForm,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomBytes } from '../../../../test/support/random.js';
import { call, type TestResponse } from '../../../../test/support/service.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { draw } from './pictures.js';

const PATH = '/api/v1/public/lookalikes';

export const picture = (seed: number) => draw({ seed, width: 320, height: 240, cell: 40 });
export const png = (seed: number) => picture(seed).png().toBuffer();

export const newCode = () => `0x${randomBytes(8).toString('hex')}`;
export const newCodes = () => ({ pHash: newCode(), dHash: newCode() });
/** Of another code, with so many other bits. */
export const flip = (code: string, bits: number) =>
  `0x${(BigInt(code) ^ ((1n << BigInt(bits)) - 1n)).toString(16).padStart(16, '0')}`;

export async function startLookalikeTests() {
  const service = await startRegistry(await unreachableChain());
  const [owner, other] = [await createUser(service, 'enterprise'), await createUser(service, 'enterprise')];
  const create = async (user: TestUser, fields: Record<string, unknown>): Promise<string> =>
    String((await createMark(service, user, fields)).body.id);
  const openMark = await create(owner, { name: 'Open', license: 'MIT', allowAiTraining: false });
  const secretMark = await create(owner, { name: 'Secret', visibility: 'private' });
  const otherMark = await create(other, { name: 'Other' });

  const run = (sql: string, values: unknown[] = []) => query(service.databaseUrl, sql, values);

  async function upload(user: TestUser, markId: string, bytes: Uint8Array, fields: Record<string, string> = {}) {
    const parts = [
      filePart(bytes, 'a.png'),
      ...fieldParts({ markId, fingerprint: fingerprintOf(bytes), filename: 'a.png' }),
    ];
    const { status, body } = await sendForm(service, user, [...parts, ...fieldParts(fields)]);
    expect([status, body.error]).toEqual([201, undefined]);
    return body;
  }

  async function registerCodes(user: TestUser, markId: string, codes: Record<string, string>, path?: CreationPath) {
    const { status, body } = await createArtifact(
      service,
      user,
      newArtifact({ markId, ...codes }),
      path ? { path } : {},
    );
    expect([status, body.error]).toEqual([201, undefined]);
    return body;
  }

  const send = (body: unknown) => call(service, 'POST', PATH, { body });

  async function sendFile(bytes: Uint8Array, fields: Record<string, string | number> = {}): Promise<TestResponse> {
    const response = await fetch(service.url + PATH, {
      method: 'POST',
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: new Uint8Array(formBody([filePart(bytes, 'asked.bin'), ...fieldParts(fields)])),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  function expectLookalikes({ status, body }: TestResponse) {
    expect([status, body.error]).toEqual([200, undefined]);
    for (const lookalike of body.lookalikes) expect(Value.Errors(Lookalike, lookalike)).toEqual([]);
    return body.lookalikes;
  }
  const ask = async (codes: object[], more: object = {}) => expectLookalikes(await send({ codes, ...more }));
  const askFile = async (bytes: Uint8Array) => expectLookalikes(await sendFile(bytes));
  const listMark = (user: { token: string }, markId: string, query = '') =>
    call(service, 'GET', `/api/v1/marks/${markId}/lookalikes${query}`, user);

  /** What is registered is in the index within a moment. */
  const awaitFound = (codes: object[], fingerprint: string) =>
    waitUntil(async () => {
      const found: Lookalike[] = await ask(codes, { limit: 50 });
      return found.some((lookalike) => lookalike.fingerprint === fingerprint);
    }, 'the index has it');

  return {
    ...{ service, owner, other, openMark, otherMark, secretMark },
    ...{ run, upload, registerCodes, send, sendFile, ask, askFile, listMark, awaitFound },
  };
}

// Files that are made to exhaust a decoder: they cost their sender a hash at most, and other users nothing.

import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  fieldParts,
  filePart,
  fingerprintOf,
  type RegistryProcess,
  sendForm,
  startRegistryProcess,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { call, signUp } from '../../../../test/support/service.js';
import { makeBombs, slowJpeg, withAppendedLines } from '../support/bombs.js';
import { draw } from '../support/pictures.js';

interface Client extends TestUser {
  readonly markId: string;
}

let registry: RegistryProcess;
let attacker: Client;
let other: Client;
let bombs: Record<string, Uint8Array>;

beforeAll(async () => {
  registry = await startRegistryProcess(await unreachableChain());
  [attacker, other] = [await createClient(), await createClient()];
  bombs = await makeBombs();
});

async function createClient(): Promise<Client> {
  const user = await createUser(registry, 'creator');
  return { ...user, markId: String((await createMark(registry, user)).body.id) };
}

function send({ token, markId }: Client, bytes: Uint8Array, accept?: string) {
  const fields = fieldParts({ markId, fingerprint: fingerprintOf(bytes), filename: 'picture.png' });
  const form = [...fields, filePart(bytes, 'picture.png', 'image/png')];
  if (accept === undefined) return sendForm(registry, { token }, form);
  return sendForm(registry, { token }, form, { path: '/api/c2pa/manifests', headers: { accept } });
}

let pictures = 0;
function drawPicture(): Promise<Buffer> {
  pictures += 1;
  return draw({ seed: pictures, width: 96, height: 64, cell: 16 }).png().toBuffer();
}

async function listChildren(processId: number | undefined): Promise<number[]> {
  const children = await readFile(`/proc/${processId}/task/${processId}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

describe('hostile files', () => {
  it('are registered without delaying others, who get their hashes', async () => {
    const slow = Array.from({ length: 12 }, (_, n) => [`slow ${n}`, withAppendedLines(slowJpeg(), n + 1)] as const);
    const creations = [...slow, ...Object.entries(bombs)].map(async ([name, bytes]) => {
      const { status, body } = await send(attacker, bytes);
      return { name, status, pHash: body.metadata?.pHash };
    });

    const honest = await send(other, await drawPicture());
    expect(honest.body.metadata.pHash).toMatch(/^0x[0-9a-f]{16}$/);
    const { email, password } = await signUp(registry);
    expect((await call(registry, 'POST', '/api/v1/auth/login', { body: { email, password } })).status).toBe(200);
    const lookup = await call(registry, 'GET', `/api/v1/artifacts/${honest.body.fingerprint}`, { token: other.token });
    expect(lookup.status).toBe(200);

    const created = await Promise.all(creations);
    expect(created.filter(({ status }) => status !== 201)).toEqual([]);
    expect(created.filter(({ name, pHash }) => name.includes('SVG') && pHash !== undefined)).toEqual([]);
    expect((await send(attacker, await drawPicture())).body.metadata.pHash).toBeDefined();
  });

  it('get a manifest embedded or are refused, and the next image gets one', async () => {
    for (const [name, bytes] of Object.entries(bombs)) {
      const { status, body } = await send(attacker, withAppendedLines(bytes, 20), 'image/*');
      expect({ name, status, code: body.code }).toEqual(
        status === 201 ? { name, status } : { name, status: 400, code: 'BAD_REQUEST' },
      );
    }
    const image = await send(other, await drawPicture(), 'image/*');
    expect(image.headers.get('content-type')).toBe('image/png');
  });

  it('do not keep the service from stopping, and leave no process behind', async () => {
    const slow = Array.from({ length: 12 }, (_, count) => withAppendedLines(slowJpeg(), count + 100));
    const creations = slow.map((bytes) => send(attacker, bytes).catch(() => undefined));
    await expect.poll(() => listChildren(registry.process.pid)).not.toEqual([]);
    const children = await listChildren(registry.process.pid);
    expect(await registry.end('SIGTERM')).toBe(0);
    await Promise.all(creations);
    for (const child of children) expect(() => process.kill(child, 0)).toThrow('ESRCH');
  });
});

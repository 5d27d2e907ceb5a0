// A registry for the audit, with Artifacts on chain and Artifacts that wait. Its service is stopped, so that damage done
// by a test stays until the audit runs.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, expect } from 'vitest';
import { createMark, createOrganization, createUser, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  fieldParts,
  filePart,
  newFingerprint,
  type Registry,
  sendForm,
  startRegistry,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { randomBytes, randomUUID } from '../../../../test/support/random.js';
import { waitUntil } from '../../../../test/support/waitUntil.js';
import { type Auditor, startAuditor } from './auditor.js';
import { type DeployedChain, startDeployedChain } from './deployedChain.js';

export interface AuditedRegistry {
  readonly registry: Registry;
  readonly auditor: Auditor;
  readonly owner: TestUser;
  readonly organizationId: string;
  readonly markId: string;
  readonly organizationMarkId: string;
  /** A test may restart the chain. */
  chain: DeployedChain;
}

const started: AuditedRegistry[] = [];
afterAll(async () => {
  for (const { chain } of started) await chain.close();
});

/** Starts an empty registry. */
export async function startAuditedRegistry(): Promise<AuditedRegistry> {
  const chain = await startDeployedChain();
  const registry = await startRegistry(chain.settings);
  const auditor = await startAuditor(registry);
  const owner = await createUser(registry, 'enterprise');
  const organizationId = await createOrganization(registry, owner, 1);
  const mark = await createMark(registry, owner);
  const ofOrganization = await createMark(registry, owner, { organizationId });
  const [markId, organizationMarkId] = [String(mark.body.id), String(ofOrganization.body.id)];
  const audited = { registry, auditor, owner, organizationId, markId, organizationMarkId, chain };
  started.push(audited);
  return audited;
}

/** Creates eight Artifacts concurrently, two of them for the organization: one has a signed copy. */
export async function createEightArtifacts({
  registry,
  owner,
  markId,
  organizationMarkId,
}: AuditedRegistry): Promise<void> {
  const creator = async (mark: string, count: number) => {
    for (let made = 0; made < count; made += 1) {
      const body = { markId: mark, fingerprint: newFingerprint(), filename: 'a.jpg' };
      const response = await createArtifact(registry, owner, body, { key: randomUUID() });
      expect(response.status).toBe(201);
    }
  };
  const signImage = async () => {
    const raw = { width: 8, height: 8, channels: 3 } as const;
    const image = await sharp(randomBytes(8 * 8 * 3), { raw })
      .png()
      .toBuffer();
    const form = [...fieldParts({ markId: organizationMarkId }), filePart(image, 'a.png')];
    const headers = { accept: 'image/*', 'idempotency-key': randomUUID() };
    expect((await sendForm(registry, owner, form, { path: '/api/c2pa/manifests', headers })).status).toBe(201);
  };
  await Promise.all([creator(markId, 3), creator(markId, 3), creator(organizationMarkId, 1), signImage()]);
}

/** Waits until all eight and the signed copy are submitted and mirrored; returns the ids of the eight. */
export async function waitUntilOnChain({ registry }: AuditedRegistry): Promise<string[]> {
  const waiting = () => runSql(registry, 'select 1 from artifacts where status <> 2');
  await waitUntil(async () => (await waiting()).length === 0, 'all Artifacts are submitted');
  const unmirrored = () =>
    runSql(registry, 'select 1 from artifacts where fingerprint not in (select fingerprint from chain_entries)');
  await waitUntil(async () => (await unmirrored()).length === 0, 'all Artifacts are mirrored');
  return readIds(registry, 2);
}

/** Records four more while the chain is unavailable, and stops the service before the chain returns. Returns their ids. */
export async function createWaitingArtifacts(audited: AuditedRegistry): Promise<string[]> {
  const { registry, owner, markId, chain } = audited;
  await chain.close();
  for (let made = 0; made < 4; made += 1) {
    const body = { markId, fingerprint: newFingerprint(), filename: 'b.jpg' };
    expect((await createArtifact(registry, owner, body)).status).toBe(201);
  }
  await registry.end();
  audited.chain = await startDeployedChain({ folder: chain.folder, port: chain.port });
  return [...(await readIds(registry, 0)), ...(await readIds(registry, 1))];
}

/** The original of the signed copy, a.png, is the last. */
async function readIds(registry: Registry, status: number): Promise<string[]> {
  const rows = await runSql(
    registry,
    `select id from artifacts where status = $1 and rendition_of is null order by metadata->>'filename', id`,
    status,
  );
  return rows.map(({ id }) => String(id));
}

export function runSql({ databaseUrl }: Registry, text: string, ...values: unknown[]) {
  return query<Record<string, unknown>>(databaseUrl, text, values);
}

/** Of an Artifact, and whether it waits for the chain. */
export async function readState(registry: Registry, id: string) {
  const [row] = await runSql(
    registry,
    `select status, transaction_hash, error_reason, manifest_hash,
       exists (select 1 from outbox where artifact_id = artifacts.id) as waits
     from artifacts where id = $1`,
    id,
  );
  return row;
}

export function publishedFilePath({ dataDir }: Registry, name: string): string {
  return join(dataDir, 'public', name);
}

/** Returns the bytes from before the change. */
export async function changeFile(
  registry: Registry,
  name: string,
  change: (bytes: Buffer) => Uint8Array | Promise<Uint8Array>,
): Promise<Buffer> {
  const before = await readFile(publishedFilePath(registry, name));
  await writeFile(publishedFilePath(registry, name), await change(before));
  return before;
}

/** The audit finds exactly this, repairs it, and does not find it again. */
export async function expectRepaired({ audit }: Auditor, code: string, about: object): Promise<void> {
  expect((await audit({ repair: true })).found).toEqual([{ code, about, repairable: true, repaired: true }]);
  expect((await audit()).found).toEqual([]);
}

/** The audit finds exactly this and cannot repair it. */
export async function expectUnrepairable({ audit }: Auditor, code: string, about: object): Promise<void> {
  const { found, summary } = await audit({ repair: true });
  expect(found).toEqual([{ code, about, repairable: false, repaired: false }]);
  expect(summary).toMatchObject({ found: { [code]: 1 }, repaired: 0, remaining: 1 });
}

export const idAt = (ids: readonly string[], place = 0): string => ids[place] ?? '';

// A registry for the audit: with Artifacts that are on chain and Artifacts that wait, its service stopped, so that what
// a test breaks by hand stays as it is until it is looked for.

import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { create, newFingerprint, type Registry, startRegistry } from './artifacts.js';
import { type Auditor, startAuditor } from './auditing.js';
import { type DeployedChain, startDeployedChain } from './chains.js';
import { createMark, organization, person, type TestPerson } from './people.js';
import { query } from './postgres.js';
import { until } from './registrations.js';

export interface AuditedRegistry {
  readonly registry: Registry;
  readonly auditor: Auditor;
  readonly owner: TestPerson;
  readonly organizationId: string;
  readonly markId: string;
  readonly organizationMarkId: string;
  /** Where it is now; a test may begin it anew. */
  chain: DeployedChain;
}

const started: AuditedRegistry[] = [];
afterAll(async () => {
  for (const { chain } of started) await chain.close();
});

/** With nothing in it yet. */
export async function startAudited(): Promise<AuditedRegistry> {
  const chain = await startDeployedChain();
  const registry = await startRegistry(chain.settings);
  const auditor = await startAuditor(registry);
  const owner = await person(registry, 'enterprise');
  const organizationId = await organization(registry, owner, 1);
  const mark = await createMark(registry, owner);
  const ofOrganization = await createMark(registry, owner, { organizationId });
  const [markId, organizationMarkId] = [String(mark.body.id), String(ofOrganization.body.id)];
  const audited = { registry, auditor, owner, organizationId, markId, organizationMarkId, chain };
  started.push(audited);
  return audited;
}

/** Eight Artifacts, two of them of the organization, by several at once. */
export async function createEight({ registry, owner, markId, organizationMarkId }: AuditedRegistry): Promise<void> {
  const creator = async (mark: string, count: number) => {
    for (let made = 0; made < count; made += 1) {
      const body = { markId: mark, fingerprint: newFingerprint(), filename: 'a.jpg' };
      const answer = await create(registry, owner, body, { key: randomUUID() });
      expect(answer.status).toBe(201);
    }
  };
  await Promise.all([creator(markId, 3), creator(markId, 3), creator(organizationMarkId, 2)]);
}

/** Their ids: on chain, and known to be. */
export async function untilLanded({ registry }: AuditedRegistry): Promise<string[]> {
  await until(async () => (await readIds(registry, 2)).length === 8, 'all Artifacts are submitted');
  return readIds(registry, 2);
}

/** Four more, recorded while the chain is away, and their ids. The service is stopped before the chain is back. */
export async function createWaiting(audited: AuditedRegistry): Promise<string[]> {
  const { registry, owner, markId, chain } = audited;
  await chain.close();
  for (let made = 0; made < 4; made += 1) {
    const body = { markId, fingerprint: newFingerprint(), filename: 'b.jpg' };
    expect((await create(registry, owner, body)).status).toBe(201);
  }
  await registry.end();
  audited.chain = await startDeployedChain({ folder: chain.folder, port: chain.port });
  return [...(await readIds(registry, 0)), ...(await readIds(registry, 1))];
}

async function readIds(registry: Registry, status: number): Promise<string[]> {
  return (await sql(registry, 'select id from artifacts where status = $1', status)).map(({ id }) => String(id));
}

export function sql({ databaseUrl }: Registry, text: string, ...values: unknown[]) {
  return query<Record<string, unknown>>(databaseUrl, text, values);
}

/** Where a published file is. */
export function pathOf({ dataDir }: Registry, name: string): string {
  return join(dataDir, 'public', name);
}

/** Answers with what was there before. */
export async function changeFile(
  registry: Registry,
  name: string,
  change: (bytes: Buffer) => Uint8Array | Promise<Uint8Array>,
): Promise<Buffer> {
  const before = await readFile(pathOf(registry, name));
  await writeFile(pathOf(registry, name), await change(before));
  return before;
}

/** Exactly this is found, repaired, and not found again. */
export async function expectRepaired({ audit }: Auditor, code: string, about: object): Promise<void> {
  expect((await audit({ repair: true })).found).toEqual([{ code, about, repairable: true, repaired: true }]);
  expect((await audit()).found).toEqual([]);
}

/** Exactly this is found, and nothing is done about it. */
export async function expectLost({ audit }: Auditor, code: string, about: object): Promise<void> {
  const { found, summary } = await audit({ repair: true });
  expect(found).toEqual([{ code, about, repairable: false, repaired: false }]);
  expect(summary).toMatchObject({ found: { [code]: 1 }, repaired: 0, remaining: 1 });
}

export const one = (ids: readonly string[], place = 0): string => ids[place] ?? '';

// What must hold once the service has settled: the clients' ledger, the database, the files and the chain agree.

import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@provenance-registry/client';
import { defaultTiers, MAX_RENDITIONS } from '@provenance-registry/core';
import { serviceProgram } from './supervisor.mjs';

/** @typedef {import('./run.mjs').Layout} Layout */
/** @typedef {import('./ledger.mjs').Ledger} Ledger */

/**
 * Work is stuck when nothing has changed for this long. Abandoned work is recovered after 45 seconds on an idle machine, and
 * a lost transaction is sent again every 10.
 */
const STUCK_AFTER_MS = 900_000;
const POLL_INTERVAL_MS = 500;
const CONCURRENT_READS = 8;
/** Ends a read that hangs. */
const READ_TIMEOUT_MS = 900_000;
/** It checks some fifty Artifacts a second on a core, fewer on a busy machine. */
const AUDIT_TIMEOUT_MS = 3_600_000;
/** How many of the successful creations are read through every endpoint. */
const FULL_READ_SAMPLE = 200;
const extensions = ['c2pa', 'json', 'png'];

/** Describes everything that has not settled yet. @param {Layout} layout @returns {Promise<string[]>} */
async function findUnsettled(layout) {
  const left = await layout.query(`
    select 'draft ' || artifact_id as what from drafts
    union all select 'Artifact ' || id || ' has status ' || status from artifacts where status not in (2, 3)
    union all select 'outbox: Artifact ' || artifact_id from outbox
      where transaction_id is null or exists (
        select from chain_transactions where id = transaction_id and block_number is null)
    union all select 'transaction with nonce ' || nonce from chain_transactions where block_number is null`);
  if (left.length > 0) return left.map(({ what }) => String(what));
  const artifacts = await layout.query(
    `select '0x' || encode(fingerprint, 'hex') as fingerprint from artifacts where status = 2`,
  );
  const registered = new Set((await layout.registrations()).map(({ fingerprint }) => fingerprint));
  return artifacts
    .map(({ fingerprint }) => String(fingerprint))
    .filter((fingerprint) => !registered.has(fingerprint))
    .map((fingerprint) => `${fingerprint} is submitted and not on chain`);
}

/** @param {Layout} layout @param {Ledger} ledger @param {(text: string) => void} say */
export async function waitUntilSettled(layout, ledger, say) {
  let [before, changedAt, lastReportAt] = ['', Date.now(), 0];
  for (;;) {
    const left = await findUnsettled(layout).catch((error) => [String(error)]);
    if (left.length === 0) return;
    const now = left.toSorted().join();
    if (now !== before) [before, changedAt] = [now, Date.now()];
    if (Date.now() - changedAt > STUCK_AFTER_MS) {
      for (const what of left) ledger.recordViolation('stuck', what);
      return;
    }
    if (Date.now() - lastReportAt > 10_000) {
      say(`not settled yet: ${left.length}, for example: ${left[0]}`);
      lastReportAt = Date.now();
    }
    await delay(POLL_INTERVAL_MS);
  }
}

/** @param {Layout} layout @param {Ledger} ledger */
export async function compareAll(layout, ledger) {
  const rows = await layout.query(`
    select id, rendition_of, '0x' || encode(fingerprint, 'hex') as fingerprint, mark_id, status, error_reason,
      case when content_private then 'private' else 'public' end as visibility
    from artifacts`);
  /** @type {Map<string, Record<string, unknown>>} */
  const byId = new Map(rows.filter(isArtifact).map((row) => [String(row['id']), row]));
  /** Renditions, by their fingerprints. @type {Map<string, Record<string, unknown>>} */
  const renditions = new Map(
    rows.filter((row) => !isArtifact(row) && row['status'] !== 3).map((row) => [String(row['fingerprint']), row]),
  );
  compareImages(renditions, ledger);
  compareCreations(byId, ledger);
  findDuplicates([...byId.values()], ledger);
  await compareCounters(layout, ledger);
  await compareCaps(layout, ledger);
  await compareIdempotencyRecords(layout, ledger);
  await compareMarks(layout, ledger);
  await compareChain(layout, byId, renditions, ledger);
  await compareFiles(layout, byId, ledger);
}

/** @param {Record<string, unknown>} row */
function isArtifact(row) {
  return row['rendition_of'] === null;
}

/**
 * Every signed image that a client received is recorded under its Artifact, and on chain; at most three for each.
 * @param {ReadonlyMap<string, Record<string, unknown>>} renditions
 * @param {Ledger} ledger
 */
function compareImages(renditions, ledger) {
  for (const { fingerprint, id } of ledger.images) {
    const row = renditions.get(fingerprint);
    if (row?.['rendition_of'] !== id) ledger.recordViolation('lost', `the signed image ${fingerprint} of ${id}`);
    else if (row['status'] !== 2) ledger.recordViolation('lost', `the signed image ${fingerprint} is not on chain`);
  }
  const counts = new Map();
  for (const { rendition_of: id } of renditions.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const [id, count] of counts) {
    if (count > MAX_RENDITIONS) ledger.recordViolation('duplicated', `${id} has ${count} signed copies`);
  }
}

/** @param {ReadonlyMap<string, Record<string, unknown>>} byId @param {Ledger} ledger */
function compareCreations(byId, ledger) {
  for (const { id = '', fingerprint, markId, visibility } of ledger.successfulCreations()) {
    const row = byId.get(id);
    if (!row) ledger.recordViolation('lost', `${id} was created, and is not in the database`);
    else if (row['fingerprint'] !== fingerprint || row['mark_id'] !== markId) {
      ledger.recordViolation('lost', `${id} differs from the response to its creation`);
    } else if (row['status'] !== 2) ledger.recordViolation('lost', `${id} failed: ${row['error_reason']}`);
    else if (visibility !== 'unknown' && row['visibility'] !== visibility) {
      ledger.recordViolation('lost', `${id} is ${row['visibility']}, and was set to ${visibility}`);
    }
  }
}

/** One Artifact for each fingerprint, and none that was not requested. @param {readonly Record<string, unknown>[]} rows @param {Ledger} ledger */
function findDuplicates(rows, ledger) {
  const requested = new Set(ledger.creations.map(({ fingerprint }) => String(fingerprint)));
  const seen = new Set();
  for (const { id, fingerprint } of rows) {
    if (!requested.has(String(fingerprint))) ledger.recordViolation('duplicated', `${id} was not requested`);
    if (seen.has(fingerprint)) ledger.recordViolation('duplicated', `${fingerprint} has two Artifacts`);
    seen.add(fingerprint);
  }
  const winners = new Map();
  for (const { id, fingerprint } of ledger.successfulCreations()) {
    const other = winners.get(fingerprint);
    if (other !== undefined && other !== id)
      ledger.recordViolation('duplicated', `${fingerprint} was created as ${other} and as ${id}`);
    winners.set(fingerprint, id);
  }
  for (const { fingerprint, isConflict } of ledger.creations) {
    if (isConflict && !seen.has(fingerprint))
      ledger.recordViolation('lost', `${fingerprint} was refused as a duplicate, and has no Artifact`);
  }
}

/** @param {Layout} layout @param {Ledger} ledger */
async function compareCounters(layout, ledger) {
  const wrong = await layout.query(`
    select owner_id, lifetime_artifacts, made, counters.marks as counted_marks, owned from counters, lateral (
      select count(*) as made from artifacts join marks on marks.id = mark_id
      where coalesce(organization_id, marks.owner_id) = counters.owner_id and status <> 3 and rendition_of is null
    ) as artifacts_made, lateral (
      select count(*) as owned from marks where coalesce(organization_id, marks.owner_id) = counters.owner_id
    ) as marks_owned
    where made <> lifetime_artifacts or owned <> counters.marks`);
  for (const row of wrong) ledger.recordViolation('duplicated', `counters: ${JSON.stringify(row)}`);
}

/** No owner has more Artifacts of one day than its tier allows. @param {Layout} layout @param {Ledger} ledger */
async function compareCaps(layout, ledger) {
  const days = await layout.query(`
    select users.id, tier, count(*)::integer as made from artifacts
      join marks on marks.id = mark_id
      left join organizations on organizations.id = organization_id
      join users on users.id = coalesce(organizations.owner_id, marks.owner_id)
    where artifacts.status <> 3 and rendition_of is null
    group by users.id, tier, (artifacts.created_at at time zone 'utc')::date`);
  for (const { id, tier, made } of days) {
    const { dailyArtifactLimit } = defaultTiers[tier === 'free' || tier === 'creator' ? tier : 'enterprise'];
    if (dailyArtifactLimit >= 0 && Number(made) > dailyArtifactLimit) {
      ledger.recordViolation(
        'duplicated',
        `${id} has ${made} Artifacts of one day, over the limit of the tier ${tier}`,
      );
    }
  }
}

/** @param {Layout} layout @param {Ledger} ledger */
async function compareIdempotencyRecords(layout, ledger) {
  const rows = await layout.query(`select key, response ->> 'id' as id from idempotency_keys`);
  const recordedIds = new Map(rows.map(({ key, id }) => [key, id]));
  for (const { key, id } of ledger.successfulCreations()) {
    const recordedId = recordedIds.get(key);
    if (recordedId === undefined) ledger.recordViolation('lost', `the record of idempotency key ${key}`);
    else if (recordedId !== id) {
      ledger.recordViolation('duplicated', `idempotency key ${key} returned ${id} and recorded ${recordedId}`);
    }
  }
}

/** @param {Layout} layout @param {Ledger} ledger */
async function compareMarks(layout, ledger) {
  const existing = new Set((await layout.query('select id from marks')).map(({ id }) => id));
  for (const { id } of ledger.marks) if (!existing.has(id)) ledger.recordViolation('lost', `the Mark ${id}`);
}

/**
 * @param {Layout} layout
 * @param {ReadonlyMap<string, Record<string, unknown>>} byId
 * @param {ReadonlyMap<string, Record<string, unknown>>} renditions
 * @param {Ledger} ledger
 */
async function compareChain(layout, byId, renditions, ledger) {
  const seen = new Set();
  for (const { fingerprint, id } of await layout.registrations()) {
    if (seen.has(fingerprint)) ledger.recordViolation('duplicated', `${fingerprint} is on chain twice`);
    seen.add(fingerprint);
    const isKnown =
      byId.get(id)?.['fingerprint'] === fingerprint || renditions.get(fingerprint)?.['rendition_of'] === id;
    if (!isKnown) ledger.recordViolation('duplicated', `${id} is on chain only`);
  }
}

/** @param {Layout} layout @param {ReadonlyMap<string, Record<string, unknown>>} byId @param {Ledger} ledger */
async function compareFiles(layout, byId, ledger) {
  const remaining = new Set(await layout.files());
  for (const id of byId.keys()) {
    for (const extension of extensions) {
      if (!remaining.delete(`${id}.${extension}`)) ledger.recordViolation('lost', `the file ${id}.${extension}`);
    }
  }
  for (const name of remaining) ledger.recordViolation('stuck', `the file ${name} belongs to no Artifact`);
}

/**
 * Looks up every created Artifact as clients do, and reads a sample through every endpoint.
 * @param {Layout} layout
 * @param {Ledger} ledger
 * @param {(creation: Pick<import('./ledger.mjs').Creation, 'id' | 'fingerprint'>) => Promise<unknown>} lookUp
 */
export async function readAll(layout, ledger, lookUp) {
  const queue = ledger.successfulCreations();
  const every = Math.max(1, Math.floor(queue.length / FULL_READ_SAMPLE));
  async function readQueue() {
    for (let creation = queue.pop(); creation; creation = queue.pop()) {
      await lookUp(creation);
      if (queue.length % every === 0) await readAllEndpoints(layout, ledger, creation);
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_READS }, readQueue));
  for (const image of ledger.images) await lookUp(image);
}

/** @param {Layout} layout @param {Ledger} ledger @param {import('./ledger.mjs').Creation} creation */
async function readAllEndpoints({ url }, ledger, { id, fingerprint, account }) {
  const client = createClient({ baseUrl: url, credential: account.credential, timeoutMs: READ_TIMEOUT_MS });
  const artifact = await client.getArtifact({ fingerprint }).catch((error) => String(error));
  if (typeof artifact === 'string' || artifact.id !== id || artifact.status !== 'submitted') {
    return ledger.recordViolation('lost', `${id} is returned as ${JSON.stringify(artifact)}`);
  }
  const { manifestUrl, manifestBinaryUrl, signedAssetUrl } = artifact.c2paAssets;
  for (const address of [`${url}/api/c2pa/manifests/${id}`, manifestUrl, manifestBinaryUrl, signedAssetUrl]) {
    const response = await fetch(address, { signal: AbortSignal.timeout(READ_TIMEOUT_MS) });
    const { byteLength } = await response.arrayBuffer();
    if (!response.ok || byteLength === 0) {
      ledger.recordViolation('lost', `${address}: ${response.status}, ${byteLength} bytes`);
    }
  }
}

/**
 * Runs the service's own audit. Resolves with its output, or undefined when it found nothing.
 * @param {Record<string, string>} settings
 * @returns {Promise<string | undefined>}
 */
export function runAudit(settings) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [serviceProgram, 'audit', '--json'],
      { env: { PATH: process.env['PATH'] ?? '', ...settings }, timeout: AUDIT_TIMEOUT_MS, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => resolve(error ? `${stdout}${stderr}`.trim() || String(error) : undefined),
    );
  });
}

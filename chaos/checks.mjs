// What must be true once everything is quiet again: the ledger of those who asked, the database, the files and the chain
// tell the same story.

import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@provenance-registry/client';
import { serviceProgram } from './processes.mjs';

/** @typedef {import('./layouts.mjs').Layout} Layout */
/** @typedef {import('./ledger.mjs').Ledger} Ledger */

/** What died is noticed after 45 seconds at most; a transaction that got lost is sent again every 10. */
const QUIET_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 500;
const READERS = 8;
const READ_WITHIN_MS = 30_000;
/** Of those that were answered, so many are read in every way. */
const SAMPLE = 200;
const extensions = ['c2pa', 'json', 'png'];

/**
 * What is not settled yet, in a few words; nothing when all is quiet.
 * @param {Layout} layout
 * @returns {Promise<string[]>}
 */
async function unsettled(layout) {
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
  const registered = new Set((await layout.registered()).map(({ fingerprint }) => fingerprint));
  return artifacts
    .map(({ fingerprint }) => String(fingerprint))
    .filter((fingerprint) => !registered.has(fingerprint))
    .map((fingerprint) => `${fingerprint} is submitted and not on chain`);
}

/**
 * @param {Layout} layout
 * @param {Ledger} ledger
 * @param {(text: string) => void} say
 */
export async function untilQuiet(layout, ledger, say) {
  const deadline = Date.now() + QUIET_WITHIN_MS;
  let told = 0;
  for (;;) {
    const left = await unsettled(layout).catch((error) => [String(error)]);
    if (left.length === 0) return;
    if (Date.now() > deadline) {
      for (const what of left) ledger.complain('stuck', what);
      return;
    }
    if (Date.now() - told > 10_000) {
      say(`not settled yet: ${left.length}, such as: ${left[0]}`);
      told = Date.now();
    }
    await delay(LOOK_EVERY_MS);
  }
}

/**
 * @param {Layout} layout
 * @param {Ledger} ledger
 */
export async function compareAll(layout, ledger) {
  const rows = await layout.query(`
    select id, '0x' || encode(fingerprint, 'hex') as fingerprint, mark_id, status, error_reason,
      case when content_private then 'private' else 'public' end as visibility
    from artifacts`);
  /** @type {Map<string, Record<string, unknown>>} */
  const byId = new Map(rows.map((row) => [String(row['id']), row]));
  compareAnswers(byId, ledger);
  compareAsked([...byId.values()], ledger);
  await compareCounters(layout, ledger);
  await compareKeys(layout, ledger);
  await compareMarks(layout, ledger);
  await compareChain(layout, byId, ledger);
  await compareFiles(layout, byId, ledger);
}

/** @param {ReadonlyMap<string, Record<string, unknown>>} byId @param {Ledger} ledger */
function compareAnswers(byId, ledger) {
  for (const { id = '', fingerprint, markId, visibility } of ledger.known()) {
    const row = byId.get(id);
    if (!row) ledger.complain('lost', `${id} was answered, and is not in the database`);
    else if (row['fingerprint'] !== fingerprint || row['mark_id'] !== markId) {
      ledger.complain('lost', `${id} is another one than was answered`);
    } else if (row['status'] !== 2) ledger.complain('lost', `${id} failed: ${row['error_reason']}`);
    else if (visibility !== 'unknown' && row['visibility'] !== visibility) {
      ledger.complain('lost', `${id} is ${row['visibility']}, and was made ${visibility}`);
    }
  }
}

/** Nobody has two for one fingerprint, nor one that was not asked for. @param {readonly Record<string, unknown>[]} rows @param {Ledger} ledger */
function compareAsked(rows, ledger) {
  const asked = new Set(ledger.creations.map(({ fingerprint }) => String(fingerprint)));
  const seen = new Set();
  for (const { id, fingerprint } of rows) {
    if (!asked.has(String(fingerprint))) ledger.complain('doubled', `nobody asked for ${id}`);
    if (seen.has(fingerprint)) ledger.complain('doubled', `${fingerprint} has two Artifacts`);
    seen.add(fingerprint);
  }
  const winners = new Map();
  for (const { id, fingerprint } of ledger.known()) {
    const other = winners.get(fingerprint);
    if (other !== undefined && other !== id) ledger.complain('doubled', `${fingerprint} was won by ${other} and ${id}`);
    winners.set(fingerprint, id);
  }
  for (const { fingerprint, isTaken } of ledger.creations) {
    if (isTaken && !seen.has(fingerprint)) ledger.complain('lost', `${fingerprint} was taken, and nobody has it`);
  }
}

/** @param {Layout} layout @param {Ledger} ledger */
async function compareCounters(layout, ledger) {
  const wrong = await layout.query(`
    select owner_id, lifetime_artifacts, made, counters.marks as counted_marks, owned from counters, lateral (
      select count(*) as made from artifacts join marks on marks.id = mark_id
      where coalesce(organization_id, marks.owner_id) = counters.owner_id and status <> 3
    ) as artifacts_made, lateral (
      select count(*) as owned from marks where coalesce(organization_id, marks.owner_id) = counters.owner_id
    ) as marks_owned
    where made <> lifetime_artifacts or owned <> counters.marks`);
  for (const row of wrong) ledger.complain('doubled', `counters: ${JSON.stringify(row)}`);
}

/** @param {Layout} layout @param {Ledger} ledger */
async function compareKeys(layout, ledger) {
  const rows = await layout.query(`select key, response ->> 'id' as id from idempotency_keys`);
  const answers = new Map(rows.map(({ key, id }) => [key, id]));
  for (const { key, id } of ledger.known()) {
    const answer = answers.get(key);
    if (answer === undefined) ledger.complain('lost', `the answer to the key ${key}`);
    else if (answer !== id) ledger.complain('doubled', `the key ${key} has the answers ${id} and ${answer}`);
  }
}

/** @param {Layout} layout @param {Ledger} ledger */
async function compareMarks(layout, ledger) {
  const there = new Set((await layout.query('select id from marks')).map(({ id }) => id));
  for (const { id } of ledger.marks) if (!there.has(id)) ledger.complain('lost', `the Mark ${id}`);
}

/** @param {Layout} layout @param {ReadonlyMap<string, Record<string, unknown>>} byId @param {Ledger} ledger */
async function compareChain(layout, byId, ledger) {
  const seen = new Set();
  for (const { fingerprint, id } of await layout.registered()) {
    if (seen.has(fingerprint)) ledger.complain('doubled', `${fingerprint} is on chain twice`);
    seen.add(fingerprint);
    if (byId.get(id)?.['fingerprint'] !== fingerprint)
      ledger.complain('doubled', `the chain has ${id}, and nobody else`);
  }
}

/** @param {Layout} layout @param {ReadonlyMap<string, Record<string, unknown>>} byId @param {Ledger} ledger */
async function compareFiles(layout, byId, ledger) {
  const there = new Set(await layout.files());
  for (const id of byId.keys()) {
    for (const extension of extensions) {
      if (!there.delete(`${id}.${extension}`)) ledger.complain('lost', `the file ${id}.${extension}`);
    }
  }
  for (const name of there) ledger.complain('stuck', `the file ${name} belongs to nobody`);
}

/**
 * As people would look: every answered Artifact is there, and some of them in every way.
 * @param {Layout} layout
 * @param {Ledger} ledger
 * @param {(known: import('./ledger.mjs').Creation) => Promise<unknown>} lookUp
 */
export async function readAll(layout, ledger, lookUp) {
  const waiting = ledger.known();
  const every = Math.max(1, Math.floor(waiting.length / SAMPLE));
  async function reader() {
    for (let known = waiting.pop(); known; known = waiting.pop()) {
      await lookUp(known);
      if (waiting.length % every === 0) await readEveryWay(layout, ledger, known);
    }
  }
  await Promise.all(Array.from({ length: READERS }, reader));
}

/** @param {Layout} layout @param {Ledger} ledger @param {import('./ledger.mjs').Creation} known */
async function readEveryWay({ url }, ledger, { id, fingerprint, account }) {
  const client = createClient({ baseUrl: url, credential: account.credential });
  const shown = await client.getArtifact({ fingerprint }).catch((error) => String(error));
  if (typeof shown === 'string' || shown.id !== id || shown.status !== 'submitted') {
    return ledger.complain('lost', `${id} is shown as ${JSON.stringify(shown)}`);
  }
  const { manifestUrl, manifestBinaryUrl, signedAssetUrl } = shown.c2paAssets;
  for (const address of [`${url}/api/c2pa/manifests/${id}`, manifestUrl, manifestBinaryUrl, signedAssetUrl]) {
    const answer = await fetch(address, { signal: AbortSignal.timeout(READ_WITHIN_MS) });
    const { byteLength } = await answer.arrayBuffer();
    if (!answer.ok || byteLength === 0) ledger.complain('lost', `${address}: ${answer.status}, ${byteLength} bytes`);
  }
}

/**
 * The service's own audit: what it found, nothing when it is content.
 * @param {Record<string, string>} settings
 * @returns {Promise<string | undefined>}
 */
export function audit(settings) {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [serviceProgram, 'audit', '--json'],
      { env: { PATH: process.env['PATH'] ?? '', ...settings }, timeout: 120_000, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => resolve(error ? `${stdout}${stderr}`.trim() || String(error) : undefined),
    );
  });
}

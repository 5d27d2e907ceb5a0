// Memory of an audit of many Artifacts: `node bench/audit.mjs [ROWS]`, which takes minutes. The database is real; file
// store, reader and chain are stubs that report a divergence for one in a thousand, so that rechecks happen too.

import { randomUUID } from 'node:crypto';
import { manifestHashOf } from '@provenance-registry/core';
import { sql } from 'kysely';
import { runAudit } from '../packages/server/dist/audit/index.js';
import { openDatabase } from '../packages/server/dist/database/connection.js';
import { migrateToLatest } from '../packages/server/dist/database/migrate.js';
import { AuditQueries } from '../packages/server/dist/database/queries/audit/audit.js';
import { SoundHashQueries } from '../packages/server/dist/database/queries/lookups/soundHashes.js';
import { insertMark, startDatabase } from './support.mjs';

const rows = Number(process.argv[2] ?? 500_000);
const PROGRESS_INTERVAL = 50_000;

const { address, remove } = await startDatabase();
const database = openDatabase(address, 600_000);
try {
  await migrateToLatest(address);
  await fill();
  const startedAt = performance.now();
  let reported = 0;
  const summary = await runAudit(
    {
      records: new AuditQueries(database),
      soundHashes: new SoundHashQueries(database),
      files: {
        publish: async () => {},
        read: async (name) => (name.startsWith('000') && name.endsWith('.png') ? undefined : new Uint8Array(10_000)),
        remove: async () => {},
        check: async () => {},
        list: listFiles,
      },
      inspector: {
        inspectSidecar: async () => ({ state: 'valid', report: new Uint8Array(2_000) }),
        findReportFault: () => undefined,
        findCardFault: async () => undefined,
        createCard: async () => new Uint8Array(10_000),
      },
      chain: { readEntries: async () => new Map(), findTransactionHash: async () => '0x' },
      mirror: {
        listFingerprints: async () => [],
        listRegistrations: async function* () {},
        compare: async () => [],
        repair: async () => true,
      },
      clock: () => new Date(),
    },
    {
      repair: false,
      delays: { recheckMs: 1_000, retryMs: 1_000 },
      onDivergence: async () => {},
      onProgress: ({ walked }) => {
        const done = Object.values(walked).reduce((sum, count) => sum + count, 0);
        if (done < reported + PROGRESS_INTERVAL) return;
        reported = done;
        const memory = Math.round(process.memoryUsage.rss() / 2 ** 20);
        console.log(`${done} walked, ${memory} MiB, ${Math.round((performance.now() - startedAt) / 1_000)} s`);
      },
    },
  );
  console.log(JSON.stringify(summary));
} finally {
  await database.destroy();
  await remove();
}

async function fill() {
  const { userId, markId } = await insertMark(database);
  const metadata = { filename: 'a.jpg' };
  const hash = Buffer.from(manifestHashOf(metadata).slice(2), 'hex');
  await sql`insert into counters (owner_id, marks, lifetime_artifacts, daily_artifacts)
    values (${userId}, 1, ${rows}, ${rows})`.execute(database);
  await sql`insert into artifacts (id, mark_id, created_by, fingerprint, manifest_hash, metadata)
    select gen_random_uuid(), ${markId}, ${userId}, sha256(number::text::bytea), ${hash}, ${JSON.stringify(metadata)}
    from generate_series(1, ${rows}::integer) as number`.execute(database);
  await sql`insert into outbox (artifact_id) select id from artifacts`.execute(database);
}

/** As many files as rows, none of which belongs to an Artifact, so that every page is compared with the database. */
async function* listFiles() {
  for (let listed = 0; listed < rows; listed += 500) {
    yield Array.from({ length: 500 }, () => ({ name: `000${randomUUID().slice(3)}.png`, modifiedAt: new Date(0) }));
  }
}

// Everything that a request may change, in one text: a request that was refused leaves it as it was.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { mediaTypeOf } from '../../src/files/names.js';

/** Without what moves by itself: the way to the chain, and when a key was last used. */
const rows: Readonly<Record<string, string>> = {
  users: 'id, email, name, tier',
  organizations: 'id, name, status, purchased_units, member_count',
  organization_members: 'organization_id, user_id, role, is_admin',
  counters: 'owner_id, organizations, marks, api_keys, lifetime_artifacts, daily_artifacts',
  marks: 'id, name, visibility, license, allow_ai_training',
  mark_members: 'mark_id, user_id',
  api_keys: 'id, name, revoked_at',
  artifacts: 'id, content_private, metadata',
  idempotency_keys: 'caller_id, key, request_hash',
  drafts: 'drafts.*',
};

export interface Traces {
  look(): Promise<string>;
  close(): Promise<void>;
}

export async function watchTraces(databaseUrl: string, dataDir: string): Promise<Traces> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const parts = Object.entries(rows).map(
    ([table, columns]) =>
      `select '${table} ' || count(*) || ' ' || coalesce(sum(hashtextextended((${columns})::text, 0)), 0) as line from ${table}`,
  );
  const sql = parts.join(' union all ');
  return {
    async look() {
      const [{ rows: found }, files] = await Promise.all([
        client.query<{ line: string }>({ name: 'traces', text: sql }),
        readdir(join(dataDir, 'public')),
      ]);
      // The store tries its folder with files of another name.
      const published = files.filter((name) => mediaTypeOf(name) !== undefined);
      return [...found.map(({ line }) => line), `files ${published.length}`].join('\n');
    },
    close: () => client.end(),
  };
}

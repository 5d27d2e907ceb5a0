// A snapshot of everything that a request may change: rejected requests must not change it.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { mediaTypeOf } from '../../src/files/names.js';

/** Without values that change by themselves: chain status and its events, positions, last use of keys and sessions, mails that are sent. */
const columnsByTable: Readonly<Record<string, string>> = {
  users: 'id, email, name, tier, password_hash, email_verified, has_totp, closed_at',
  sessions: 'id, ended_at',
  second_factors: 'user_id, secret, confirmed_at',
  one_time_tokens: 'id, purpose',
  mails: 'id, recipient, template',
  invitations: 'invitations.*',
  'events where is_listed': 'id, type, actor_id, organization_id, mark_id, user_id, key_id, data',
  webhooks: 'id, url, types, secret_version, paused_at',
  organizations: 'id, name, owner_id, status, purchased_units, member_count',
  organization_members: 'organization_id, user_id, role, is_admin',
  counters: 'owner_id, organizations, marks, api_keys, lifetime_artifacts, daily_artifacts',
  marks: 'id, name, visibility, license, allow_ai_training, admin_id, access_version, represented_by',
  mark_domains: 'id, ended_at',
  mark_members: 'mark_id, user_id',
  api_keys: 'id, name, scope, expires_at, revoked_at',
  artifacts: 'id, content_private, metadata',
  image_codes: 'image_codes.*',
  claims: 'claims.*',
  claim_entries: 'claim_entries.*',
  idempotency_keys: 'caller_id, key, request_hash',
  drafts: 'drafts.*',
  log_openings: 'log_openings.*',
};

export interface StateSnapshots {
  take(): Promise<string>;
  close(): Promise<void>;
}

export async function openStateSnapshots(databaseUrl: string, dataDir: string): Promise<StateSnapshots> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const parts = Object.entries(columnsByTable).map(
    ([table, columns]) =>
      `select '${table} ' || count(*) || ' ' || coalesce(sum(hashtextextended((${columns})::text, 0)), 0) as line from ${table}`,
  );
  const sql = parts.join(' union all ');
  return {
    async take() {
      const [{ rows }, files] = await Promise.all([
        client.query<{ line: string }>({ name: 'snapshots', text: sql }),
        readdir(join(dataDir, 'public')),
      ]);
      // The store's readiness check writes drafts.
      const published = files.filter((name) => mediaTypeOf(name) !== undefined);
      return [...rows.map(({ line }) => line), `files ${published.length}`].join('\n');
    },
    close: () => client.end(),
  };
}

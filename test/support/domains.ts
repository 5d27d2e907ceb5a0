// Marks with a verified domain, without a check of it.

import { query } from './postgres.js';
import { randomUUID } from './random.js';

/** Adds a domain as if a check had confirmed it just now; the next one is in a day. */
export async function addVerifiedDomain(
  { databaseUrl }: { databaseUrl: string },
  markId: string,
  domain: string,
  { method = 'dns', since = new Date() }: { method?: 'dns' | 'file'; since?: Date } = {},
): Promise<void> {
  await query(
    databaseUrl,
    `insert into mark_domains
       (id, mark_id, domain, claimed_by, claimed_at, method, verified_at, last_success_at, last_checked_at, next_check_at)
     select $1, id, $3, admin_id, $5, $4, $5, now(), now(), now() + interval '1 day' from marks where id = $2`,
    [randomUUID(), markId, domain, method, since],
  );
}

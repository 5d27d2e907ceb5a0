// Buffers for the last uses of API keys and sessions: requests do not wait until they are written. One set for a process.

import { isIP } from 'node:net';
import { sql } from 'kysely';
import type { ApiKeyUse } from '../domain/ports/index.js';
import type { Database } from './connection.js';

/** Uses are written together, this long after the first of them. */
const FLUSH_DELAY_MS = 2_000;
/** Pairs of a key and an address that are known to be written, some 100 bytes each. */
const MAX_KNOWN_ADDRESSES = 10_000;
/** Networks of one key. Further ones are not told apart any more. */
const MAX_NETWORKS = 1_000;

export interface UseBuffer<Use> {
  record(id: string, use: Use): void;
  /** Writes the buffered uses; those that cannot be written now are kept for the next flush. */
  flush(): Promise<void>;
}

export interface UseBuffers {
  readonly apiKeys: UseBuffer<ApiKeyUse>;
  readonly sessions: UseBuffer<Date>;
  flush(): Promise<void>;
}

export function createUseBuffers(database: Database): UseBuffers {
  const lastUses = bufferUses<ApiKeyUse>(async (uses) => {
    const used = [...uses.values()];
    await sql`
      update api_keys set last_used_at = used.at, last_used_address = used.address, last_used_agent = used.agent
      from unnest(
        ${[...uses.keys()]}::uuid[], ${used.map(({ at }) => at)}::timestamptz[],
        ${used.map(({ address }) => address)}::text[], ${used.map(({ userAgent }) => userAgent)}::text[]
      ) as used (id, at, address, agent)
      where api_keys.id = used.id and (last_used_at is null or last_used_at <= used.at)`.execute(database);
  });
  const known = new Set<string>();
  const addresses = bufferUses<NewAddress>(async (uses) => {
    await recordAddresses(database, [...uses.values()]);
    if (known.size + uses.size > MAX_KNOWN_ADDRESSES) known.clear();
    for (const pair of uses.keys()) known.add(pair);
  });
  const apiKeys: UseBuffer<ApiKeyUse> = {
    record(keyId, use) {
      lastUses.record(keyId, use);
      const { address, at } = use;
      const pair = `${keyId} ${address}`;
      // A zone (fe80::1%eth0) is not part of the address.
      if (!known.has(pair) && isIP(address) !== 0 && !address.includes('%'))
        addresses.record(pair, { keyId, address, at });
    },
    async flush() {
      await Promise.all([lastUses.flush(), addresses.flush()]);
    },
  };
  const sessions = bufferUses<Date>(async (uses) => {
    await sql`
      update sessions set last_used_at = greatest(last_used_at, used.at)
      from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) as used (id, at)
      where sessions.id = used.id`.execute(database);
  });
  return {
    apiKeys,
    sessions,
    async flush() {
      await Promise.all([apiKeys.flush(), sessions.flush()]);
    },
  };
}

interface NewAddress {
  readonly keyId: string;
  readonly address: string;
  readonly at: Date;
}

/** Records where keys were used. For a key that was used elsewhere before, also writes an event: at most one an hour. */
async function recordAddresses(database: Database, uses: readonly NewAddress[]): Promise<void> {
  await sql`
    with used as (
      select key_id, address, at,
        case when family(address) = 6 then network(set_masklen(address, 64)) else address end as network
      from unnest(
        ${uses.map(({ keyId }) => keyId)}::uuid[], ${uses.map(({ address }) => address)}::inet[],
        ${uses.map(({ at }) => at)}::timestamptz[]
      ) as used (key_id, address, at)
    ), added as (
      insert into api_key_networks (key_id, network)
      select distinct key_id, network from used join api_keys on api_keys.id = key_id and revoked_at is null
      where (select count(*) from api_key_networks networks where networks.key_id = used.key_id) < ${MAX_NETWORKS}
      order by key_id, network
      on conflict do nothing
      returning key_id
    ), alarmed as (
      update api_keys set new_address_at = latest.at
      from (select key_id, max(at) as at from used group by key_id) latest
      where api_keys.id = latest.key_id and api_keys.id in (select key_id from added)
        and (
          (select count(*) from added where added.key_id = api_keys.id) > 1
          or exists (select 1 from api_key_networks networks where networks.key_id = api_keys.id)
        )
        and (new_address_at is null or new_address_at <= latest.at - interval '1 hour')
      returning id, organization_id
    )
    insert into events (type, organization_id, key_id) select 'key.new_address', organization_id, id from alarmed`.execute(
    database,
  );
}

/** Buffers of a transaction: to flush in it would be to wait for rows that it has locked itself. */
export function withoutFlush({ apiKeys, sessions }: UseBuffers): UseBuffers {
  const flush = async () => {};
  return { apiKeys: { ...apiKeys, flush }, sessions: { ...sessions, flush }, flush };
}

function bufferUses<Use>(write: (uses: ReadonlyMap<string, Use>) => Promise<void>): UseBuffer<Use> {
  let buffered = new Map<string, Use>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const uses = buffered;
    buffered = new Map();
    if (uses.size === 0) return;
    try {
      await write(uses);
    } catch {
      for (const [id, use] of uses) if (!buffered.has(id)) buffered.set(id, use);
    }
  }

  return {
    record(id, use) {
      buffered.set(id, use);
      timer ??= setTimeout(flush, FLUSH_DELAY_MS).unref();
    },
    flush,
  };
}

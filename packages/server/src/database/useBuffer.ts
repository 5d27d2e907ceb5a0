// Buffers for the last uses of API keys and sessions: requests do not wait until they are written. One set for a process.

import { sql } from 'kysely';
import type { ApiKeyUse } from '../domain/ports/index.js';
import type { Database } from './connection.js';

/** Uses are written together, this long after the first of them. */
const FLUSH_DELAY_MS = 2_000;

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
  const apiKeys = bufferUses<ApiKeyUse>(async (uses) => {
    const used = [...uses.values()];
    await sql`
      update api_keys set last_used_at = used.at, last_used_address = used.address, last_used_agent = used.agent
      from unnest(
        ${[...uses.keys()]}::uuid[], ${used.map(({ at }) => at)}::timestamptz[],
        ${used.map(({ address }) => address)}::text[], ${used.map(({ userAgent }) => userAgent)}::text[]
      ) as used (id, at, address, agent)
      where api_keys.id = used.id and (last_used_at is null or last_used_at <= used.at)`.execute(database);
  });
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

/** For a transaction: to flush in it would be to wait for rows that it has locked itself. */
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

// A change that happens while a request waits for a lock: what the request has checked before may be wrong by then.

import pg from 'pg';

/** Takes the lock, begins the request, waits until it waits for the lock, makes the change, and returns the response. */
export async function whileLocked<T>(
  { databaseUrl }: { readonly databaseUrl: string },
  lock: string,
  begin: () => Promise<T>,
  change: (blocker: pg.Client) => Promise<unknown>,
): Promise<T> {
  const blocker = new pg.Client({ connectionString: databaseUrl });
  await blocker.connect();
  try {
    await blocker.query(`begin; ${lock}`);
    const underWay = begin();
    const isWaiting = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';
    while ((await blocker.query(isWaiting)).rows.length === 0);
    await change(blocker);
    await blocker.query('commit');
    return await underWay;
  } finally {
    await blocker.end();
  }
}

// Answers in place of the service while its database is migrated, which may take minutes: the process is alive, and says
// what it waits for.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { standardHeaders } from './errors.js';

/** Clients need not ask more often than this; a load balancer has its own interval. */
const RETRY_AFTER_SECONDS = 10;

export interface MigrationState {
  readonly state: 'migrating';
  /** What is done, and how far it is, in a sentence. */
  readonly message: string;
  readonly migration?: Readonly<Record<string, string | number>>;
}

/** Returns the closer. A port that cannot be listened on is reported when the service itself needs it. */
export async function startMigrationServer(
  { host, port }: { readonly host: string; readonly port: number },
  readState: () => MigrationState,
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const path = request.url?.split('?', 1)[0];
    const isHealthy = path === '/healthz';
    const { message, ...state } = readState();
    const unavailable = { error: `Not ready: ${message}`, code: 'UNAVAILABLE', ...state };
    for (const [name, value] of Object.entries(standardHeaders('migrating'))) response.setHeader(name, value);
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('connection', 'close');
    if (!isHealthy) response.setHeader('retry-after', RETRY_AFTER_SECONDS);
    response.statusCode = isHealthy ? 200 : 503;
    response.end(JSON.stringify(isHealthy ? { status: 'ok' } : unavailable));
  });
  const listening = once(server, 'listening').catch(() => {});
  server.listen({ host, port });
  await listening;
  server.on('error', () => {});
  return async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
}

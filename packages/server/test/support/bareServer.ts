// The HTTP layer with nothing behind it, for tests of limits that need no service.

import { pino } from 'pino';
import type { Ports } from '../../src/domain/ports/index.js';
import { defaultLimits, type HttpLimits } from '../../src/http/budgets/limits.js';
import { buildServer, type HttpOptions } from '../../src/http/server.js';

export function buildBareServer(limits: Partial<HttpLimits>, options: Partial<HttpOptions> = {}) {
  return buildServer({
    ports: {} as Ports,
    readiness: async () => [],
    requireWritable: async () => {},
    logFiles: { read: async () => undefined },
    chain: { contract: { address: '0x', abi: [] } },
    identity: () => {
      throw new Error('no registry');
    },
    didDocument: { '@context': [], id: 'did:web:registry.example', assertionMethod: [] },
    maxUploadBytes: 1,
    role: 'all',
    operatorToken: undefined,
    baseUrl: 'http://127.0.0.1',
    version: '0',
    logger: pino({ enabled: false }),
    limits: { ...defaultLimits, ...limits },
    ...options,
  });
}

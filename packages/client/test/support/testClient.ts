// A client of a scripted server that records its delays instead of waiting.

import { createClientIn } from '../../src/client.js';
import { defaultEnvironment, type Environment } from '../../src/environment.js';
import type { ClientOptions, RetryEvent } from '../../src/index.js';
import { type Responder, startScriptedServer } from './scriptedServer.js';

export async function createTestClient(
  responders: readonly Responder[],
  options: Partial<ClientOptions> = {},
  environment: Partial<Environment> = {},
) {
  const server = await startScriptedServer(...responders);
  const delays: number[] = [];
  const events: RetryEvent[] = [];
  const sleep = async (ms: number) => {
    delays.push(ms);
  };
  const client = createClientIn(
    { ...defaultEnvironment, random: () => 1, sleep, ...environment },
    { baseUrl: server.url, onRetry: (event) => events.push(event), ...options },
  );
  return { client, delays, events, received: server.received };
}

// What `verify` gets from the pin of a registry.

import { createClient } from '@provenance-registry/client';
import type { Values } from '../../src/options.js';
import { readSettings } from '../../src/settings.js';
import { loadTrust } from '../../src/trust/loadTrust.js';
import { checkBeside } from '../../src/trust/registryCheck.js';
import { createTestContext } from './context.js';
import type { Machine } from './machine.js';

/** By the configuration that the command has written. */
export async function loadPinnedTrust(machine: Machine, url: string, flags: Values = {}) {
  const env = { ...machine.env, HOME: machine.home, PROVENANCE_URL: url };
  const context = createTestContext({ env, cwd: machine.home }, () => readSettings(flags, env, machine.home));
  const { pin, check } = await checkBeside(context, createClient({ baseUrl: url }));
  return { ...(await loadTrust(context, pin)), check: await check };
}

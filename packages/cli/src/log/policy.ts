// Whose signatures a checkpoint needs: what the user named or pinned, or what the registry states under roots that vouch for it.

import { readLogIdentity } from '@provenance-registry/client';
import { formatPolicy, type LogPolicy, parsePolicy } from '@provenance-registry/log';
import type { Trust } from '../trust/loadTrust.js';

/** Undefined: the user knows no key of the log. */
export function parseNamedPolicy({ policy, logKeys }: Pick<Trust, 'policy' | 'logKeys'>): LogPolicy | undefined {
  const text = policy ?? (logKeys && formatPolicy(logKeys));
  return text === undefined ? undefined : parsePolicy(text);
}

/** The keys that a registry states. Undefined: none of the roots vouches for them. */
export async function readStatedPolicy(statement: string, rootsPem: string): Promise<LogPolicy | undefined> {
  const stated = await readLogIdentity(statement, rootsPem);
  // Its witnesses are the registry's own choice: what has to sign is for the user to say.
  return stated && { ...parsePolicy(stated.policy), quorum: undefined };
}

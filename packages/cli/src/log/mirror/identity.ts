// What the registry says about itself, kept in the copy for those who verify with it later; and the keys of its log, if the user
// names none.

import { hash } from 'node:crypto';
import { RegistryIdentity } from '@provenance-registry/core';
import { copyPaths, type LogPolicy } from '@provenance-registry/log';
import { Check } from 'typebox/schema';
import { CommandError } from '../../errors.js';
import { readStatedPolicy } from '../policy.js';
import { SourceError } from '../source.js';
import type { CopyFolder } from './copyFolder.js';

/** Undefined for what is not such a document. */
export function parseIdentity(bytes: Uint8Array | undefined): RegistryIdentity | undefined {
  try {
    const identity: unknown = bytes && JSON.parse(Buffer.from(bytes).toString('utf8'));
    return Check(RegistryIdentity, identity) ? identity : undefined;
  } catch {
    return undefined;
  }
}

/** An earlier document stays in the copy: roots that a registry no longer publishes still vouch for its manifests. */
export async function saveIdentity(folder: CopyFolder, bytes: Uint8Array): Promise<void> {
  const stored = await folder.read(copyPaths.identity);
  if (stored && describe(stored) === describe(bytes)) return;
  if (stored) await folder.add(`identities/${hash('sha256', stored)}.json`, stored);
  await folder.replace(copyPaths.identity, bytes);
}

/** Without the signature of the log's key, which is another one each time. */
function describe(bytes: Uint8Array): string {
  const identity = parseIdentity(bytes);
  return JSON.stringify(identity?.log ? { ...identity, log: { ...identity.log, jws: '' } } : identity);
}

/**
 * The keys of the log that the registry states, under the roots that the copy knows from the first time on.
 * @throws CommandError if none of them vouches for the keys
 */
export async function requireStatedPolicy(
  current: RegistryIdentity | undefined,
  known: RegistryIdentity | undefined,
): Promise<LogPolicy> {
  if (!current?.log) throw new SourceError('The registry has no public log, as far as it says.');
  const roots = (known ?? current).signerRoots.map(({ pem }) => pem).join('\n');
  const policy = await readStatedPolicy(current.log.jws, roots);
  if (policy) return policy;
  throw new CommandError(
    'LOG_KEY_NOT_VOUCHED_FOR',
    1,
    `No root ${known ? 'in the copy ' : ''}vouches for the key of the log. Compare it with another source, and name it: --log-key KEY.`,
  );
}

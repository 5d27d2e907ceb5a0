// Whose signatures a receipt needs: by the keys that the caller names, or by the statement of the registry about its log, which
// counts as far as roots vouch for it.

import { LOG_IDENTITY_TYPE, LogIdentity, type RegistryIdentity } from '@provenance-registry/core';
import { LogFormatError, type LogPolicy, parsePolicy } from '@provenance-registry/log';
import { Check } from 'typebox/schema';
import { InvalidArgumentError } from '../../errors.js';
import type { RootSet } from '../rootSet.js';
import { readStatement } from './statement.js';

export interface LogKeys {
  readonly policy: LogPolicy;
  /** `caller`: named by the caller, or stated under roots that the caller named. */
  readonly from: 'caller' | 'service';
}

/** @throws InvalidArgumentError for what are not the keys of one log */
export function parseLogKeys(keys: readonly string[]): LogKeys | undefined {
  if (keys.length === 0) return undefined;
  try {
    return { policy: parsePolicy({ logKeys: keys, witnesses: [], quorum: 0 }), from: 'caller' };
  } catch (error) {
    if (!(error instanceof LogFormatError)) throw error;
    throw new InvalidArgumentError(`The keys of the log cannot be used: ${error.message}`);
  }
}

/** Undefined if neither the roots of the caller nor those of the service vouch for the statement. */
export async function readStatedKeys(
  statement: string,
  roots: { readonly caller: RootSet | undefined; readonly service: RootSet | undefined },
): Promise<LogKeys | undefined> {
  for (const from of ['caller', 'service'] as const) {
    const rootsPem = roots[from]?.signer;
    const identity = rootsPem === undefined ? undefined : await readLogIdentity(statement, rootsPem);
    const policy = identity && tryParsePolicy(identity.policy);
    if (policy) return { policy, from };
  }
  return undefined;
}

/**
 * What a registry states about its public log, if one of these roots vouches for it now. Else undefined.
 * @example
 * ```ts
 * const { log, signerRoots } = await client.getRegistryIdentity();
 * const rootsPem = signerRoots.map(({ pem }) => pem).join('');
 * const stated = log && (await readLogIdentity(log.jws, rootsPem));
 * console.log(stated?.policy.logKeys); // the service's word, until you compare the roots
 * ```
 */
export async function readLogIdentity(statement: string, rootsPem: string): Promise<LogIdentity | undefined> {
  const identity = await readStatement(statement, LOG_IDENTITY_TYPE, rootsPem, new Date());
  if (!Check(LogIdentity, identity)) return undefined;
  const { origin, vkey, policy } = identity;
  const isOfOneLog = policy.logKeys.includes(vkey) && tryParsePolicy(policy)?.logKeys[0]?.name === origin;
  return isOfOneLog ? identity : undefined;
}

function tryParsePolicy(policy: NonNullable<RegistryIdentity['log']>['policy']): LogPolicy | undefined {
  try {
    return parsePolicy(policy);
  } catch {
    return undefined;
  }
}

// Whose signatures a receipt needs: by the keys that the caller names, or by the statement of the registry about its log, which
// counts as far as roots vouch for it.

import { LOG_IDENTITY_TYPE, LogIdentity } from '@provenance-registry/core';
import { formatPolicy, formatVerifierKey, LogFormatError, type LogPolicy, parsePolicy } from '@provenance-registry/log';
import { Check } from 'typebox/schema';
import { InvalidArgumentError } from '../../errors.js';
import type { Signer } from '../evidence.js';
import type { RootSet } from '../rootSet.js';
import { readStatement } from './statement.js';

export interface LogKeys {
  readonly policy: LogPolicy;
  /** `caller`: named by the caller, or stated under roots that the caller named. */
  readonly from: 'caller' | 'service';
  /** Who stated them, under roots that the caller named. */
  readonly statedBy?: Signer;
  /** The contract that is stated with them. */
  readonly contract?: string | undefined;
}

/** What the caller says of the log, in one of two ways. */
export interface NamedLog {
  readonly logKeys?: readonly string[] | undefined;
  readonly policy?: string | undefined;
}

/** @throws InvalidArgumentError for what are not the keys of one log, or no policy */
export function parseLogKeys({ logKeys = [], policy: text }: NamedLog): LogKeys | undefined {
  if (text === undefined && logKeys.length === 0) return undefined;
  if (text !== undefined && logKeys.length > 0) {
    throw new InvalidArgumentError('Name the keys of the log, or a policy that has them, not both.');
  }
  try {
    const policy = parsePolicy(text ?? formatPolicy(logKeys));
    if (policy.logKeys.length === 0) throw new LogFormatError('The policy names no log.');
    return { policy, from: 'caller' };
  } catch (error) {
    if (!(error instanceof LogFormatError)) throw error;
    throw new InvalidArgumentError(
      `The ${text === undefined ? 'keys' : 'policy'} of the log cannot be used: ${error.message}`,
    );
  }
}

/** Undefined if neither the roots of the caller nor those of the service vouch for the statement. */
export async function readStatedKeys(
  statement: string,
  roots: { readonly caller: RootSet | undefined; readonly service: RootSet | undefined },
): Promise<LogKeys | undefined> {
  for (const from of ['caller', 'service'] as const) {
    const rootsPem = roots[from]?.signer;
    const stated = rootsPem === undefined ? undefined : await readSignedIdentity(statement, rootsPem);
    const policy = stated && tryParsePolicy(stated.identity.policy);
    // Its witnesses are the registry's own choice: what they have to sign is for the caller to say.
    const needed = policy && { ...policy, quorum: undefined };
    const contract = stated?.identity.contract?.address;
    if (needed) return { policy: needed, from, ...(from === 'caller' && { statedBy: stated.signedBy, contract }) };
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
 * console.log(stated?.vkey); // the service's word, until you compare the roots
 * ```
 */
export async function readLogIdentity(statement: string, rootsPem: string): Promise<LogIdentity | undefined> {
  return (await readSignedIdentity(statement, rootsPem))?.identity;
}

async function readSignedIdentity(statement: string, rootsPem: string) {
  const { content, signedBy } = (await readStatement(statement, LOG_IDENTITY_TYPE, rootsPem, new Date())) ?? {};
  if (!signedBy || !Check(LogIdentity, content)) return undefined;
  const { origin, vkey, policy } = content;
  const keys = tryParsePolicy(policy)?.logKeys ?? [];
  const isOfLog = keys.some((key) => key.name === origin && formatVerifierKey(key) === vkey);
  return isOfLog ? { identity: content, signedBy } : undefined;
}

function tryParsePolicy(policy: string): LogPolicy | undefined {
  try {
    return parsePolicy(policy);
  } catch {
    return undefined;
  }
}

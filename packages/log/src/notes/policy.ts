// Whose signatures a checkpoint needs.

import { bytesToHex } from '@noble/hashes/utils';
import { LogFormatError } from '../errors.js';
import { parseVerifierKey, type VerifierKey } from './keys.js';

export interface LogPolicy {
  /** Their name is the origin of the log. One of them has to sign: after a rotation the earlier ones are known too. */
  readonly logKeys: readonly VerifierKey[];
  readonly witnesses: readonly VerifierKey[];
  /** How many of the witnesses have to sign; 0 if none has to. */
  readonly quorum: number;
}

/** As `LogPolicy`, with the keys as texts. */
export interface PolicyText {
  readonly logKeys: readonly string[];
  readonly witnesses: readonly string[];
  readonly quorum: number;
}

/** @throws LogFormatError */
export function parsePolicy({ logKeys, witnesses, quorum }: PolicyText): LogPolicy {
  const policy = { logKeys: logKeys.map(parseVerifierKey), witnesses: witnesses.map(parseVerifierKey), quorum };
  const [first] = policy.logKeys;
  if (!first || policy.logKeys.some(({ kind, name }) => kind !== 'log' || name !== first.name)) {
    throw new LogFormatError('A policy needs the keys of one log.');
  }
  if (policy.witnesses.some(({ kind }) => kind !== 'cosignature')) {
    throw new LogFormatError('The key of a witness is not for cosignatures.');
  }
  // A cosignature does not contain the name of its witness: one key under two names would count twice.
  const keys = [...policy.logKeys, ...policy.witnesses].map(({ publicKey }) => bytesToHex(publicKey));
  if (new Set(keys).size < keys.length) throw new LogFormatError('A key is in the policy twice.');
  if (!Number.isInteger(quorum) || quorum < 0 || quorum > witnesses.length) {
    throw new LogFormatError('The policy asks for more witnesses than it has.');
  }
  return policy;
}

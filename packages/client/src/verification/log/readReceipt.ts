// Reads the receipt of one file and checks it against the record, without the other sources of a verification.

import type { Artifact, LogReceipt } from '@provenance-registry/core';
import type { RegistryClient } from '../../client.js';
import { skippedSources } from '../../explanations.js';
import { findRegistration } from '../../fileRegistration.js';
import { DisclosureLog } from '../../lookups/disclosure.js';
import { requireFingerprint } from '../../lookups/fileInput.js';
import { findProblems } from '../contradictions.js';
import { skip, skipUnproven } from '../evidence.js';
import { openMirror } from '../mirror/source.js';
import { dropServiceWord, readCallerRoots, type VerifyOptions } from '../options.js';
import { readServiceInfo } from '../serviceInfo.js';
import { checkLog } from '../sourceChecks.js';
import type { Check, LogDetails } from '../types.js';
import { addPublishedAnchor } from './anchor.js';
import { parseLogKeys, readStatedKeys } from './logKeys.js';
import { checkReceipt, fetchReceipt } from './receipt.js';

/**
 * Options of {@link readReceipt}.
 * @example
 * ```ts
 * const options: ReadReceiptOptions = { client, artifact, wait: 5 };
 * ```
 */
export interface ReadReceiptOptions
  extends Pick<VerifyOptions, 'chain' | 'logKeys' | 'policy' | 'logContract' | 'trustAnchorsPem' | 'signal'> {
  readonly client: RegistryClient;
  /** The record with which the leaf is compared. */
  readonly artifact: Artifact;
  /** Seconds to wait for a receipt that is not ready; default: none. */
  readonly wait?: number | undefined;
}

/**
 * A receipt as the service has it, and what it proves.
 * @example
 * ```ts
 * const isInLog = ({ check }: CheckedReceipt) => check.state === 'confirmed' || check.state === 'agrees';
 * ```
 */
export interface CheckedReceipt {
  readonly check: Check<LogDetails>;
  /** Absent while no checkpoint covers the registration. */
  readonly receipt?: LogReceipt;
}

/**
 * Reads the receipt of a file from the service, and checks it. {@link verify} does this too, beside all other sources.
 * @throws ApiError when the service refuses, other than by having no receipt.
 * @example
 * ```ts
 * const { check, receipt } = await readReceipt(fingerprint, { client, artifact: await client.getPublicArtifact({ fingerprint }) });
 * console.log(check.state, check.details.index, receipt?.leaf);
 * ```
 */
export async function readReceipt(text: string, options: ReadReceiptOptions): Promise<CheckedReceipt> {
  const fingerprint = requireFingerprint(text);
  const { client, artifact, wait, signal } = options;
  const info = await readServiceInfo(client, signal);
  const callerKeys = parseLogKeys(options);
  if (!callerKeys && info.logStatement === undefined) return { check: checkLog({ log: skip(skippedSources.NO_LOG) }) };
  const roots = { caller: readCallerRoots(options), service: info.roots };
  const keys = callerKeys ?? (await readStatedKeys(info.logStatement ?? '', roots));
  const receipt = await fetchReceipt(client, fingerprint, new DisclosureLog('fingerprint'), { wait, signal });
  if (!receipt) return { check: checkLog({ log: { kind: 'absent' } }) };
  if (!keys) return { check: checkLog({ log: skipUnproven(skippedSources.LOG_NOT_VOUCHED_FOR) }), receipt };
  const log = await addPublishedAnchor(
    await checkReceipt(receipt, client.baseUrl, keys),
    openMirror(client),
    dropServiceWord(options),
  );
  const signedCopyOf = artifact.fingerprint === fingerprint ? undefined : artifact.fingerprint;
  const registration = findRegistration(artifact, fingerprint);
  const stated = { service: client.baseUrl, manifestId: artifact.id, artifact, metadata: artifact.metadata };
  const [problem] = findProblems({
    fingerprint,
    registry: { kind: 'found', value: { ...stated, registration, signedCopyOf } },
    chain: skip(skippedSources.NO_NODE),
    manifest: skip(skippedSources.NO_MANIFEST_NAMED),
    log,
    hasTrustAnchors: false,
    hasLogKeys: callerKeys !== undefined,
  });
  return { check: checkLog({ log }, problem), receipt };
}

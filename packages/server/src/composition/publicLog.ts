// The public log from the settings: its files, its reader, its identity, and the sequencer in processes that work.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOG_IDENTITY_TYPE, type SignedLogIdentity } from '@provenance-registry/core';
import type { FastifyBaseLogger } from 'fastify';
import type { Chain } from '../chain/chainService.js';
import type { Config } from '../config/config.js';
import type { Database } from '../database/connection.js';
import { LogAnchorQueries } from '../database/queries/log/logAnchors.js';
import { LogSequenceQueries } from '../database/queries/log/logSequence.js';
import type {
  Clock,
  FileStore,
  JwsSigner,
  LogAnchor,
  LogContract,
  LogFiles,
  LogKeys,
  PublicLog,
} from '../domain/ports/index.js';
import { openLogDisk } from '../files/logDisk.js';
import { openLogS3 } from '../files/logS3.js';
import type { CloserStack } from '../jobs/closers.js';
import { JobLoop } from '../jobs/jobLoop.js';
import type { WorkNotices } from '../jobs/workNotices.js';
import { signJws } from '../jws.js';
import { logWitnessRequests } from '../monitoring/metrics.js';
import {
  createLogSigners,
  describeSigner,
  generateLogKey,
  originOf,
  readLogKeys,
  statePolicy,
} from '../publicLog/keys.js';
import { createLogReader } from '../publicLog/reader.js';
import { LogStoppedError } from '../publicLog/stops.js';
import { CheckpointWitnesses, type WitnessPolicy } from '../publicLog/witnesses.js';
import { startLogWorker } from '../publicLog/worker.js';
import { readOrCreateSecret } from '../secretFile.js';
import type { ConfiguredSigning } from './signing.js';

/** Keys change with a restart; another process may have begun the log. */
const KEYS_POLL_MS = 10_000;
/** Until the log has begun, which takes one round of the sequencer. */
const FIRST_KEYS_POLL_MS = 200;

interface PublicLogParts {
  readonly database: Database;
  /** When the registry began. */
  readonly createdAt: Date;
  /** Published manifests. */
  readonly files: FileStore;
  readonly logFiles: LogFiles;
  readonly signing: ConfiguredSigning;
  readonly chain: Chain;
  readonly clock: Clock;
  readonly notices: WorkNotices;
  readonly logger: FastifyBaseLogger;
}

export interface OpenedLog {
  readonly port: PublicLog;
  readonly files: LogFiles;
  /** Undefined until the log has begun. */
  readonly identity: () => SignedLogIdentity | undefined;
}

export async function openPublicLog(config: Config, parts: PublicLogParts, closers: CloserStack): Promise<OpenedLog> {
  const { database, signing, chain, logger, logFiles: files } = parts;
  const records = new LogSequenceQueries(database);
  const log: Log = (level, details, message) => logger[level](details, message);
  const worker =
    config.role === 'api'
      ? undefined
      : startLogWorker({
          records,
          files,
          sources: { files: parts.files, clock: parts.clock },
          origin: originOf(config.baseUrl),
          openSigners: (origin, known) => openSigners(config, origin, known),
          registry: () => describeRegistry(config, parts),
          witnesses: config.logWitnesses && openWitnesses(config.logWitnesses, files, log),
          notices: parts.notices,
          log,
        });
  closers.push(async () => worker?.close());
  const { read: identity, close } = followIdentity({
    records,
    chain,
    signer: signing.signing.signer,
    witnesses: config.logWitnesses?.text,
  });
  closers.push(close);
  const port = { ...createLogReader(files, config.logWitnesses), ...publishAnchors(database, chain) };
  return { port, files, identity };
}

/** Of the contract in use. */
function publishAnchors(
  database: Database,
  chain: Pick<Chain, 'logContract'>,
): Pick<PublicLog, 'findAnchor' | 'readLastAnchor'> {
  const anchors = new LogAnchorQueries(database);
  async function read(find: (contract: LogContract) => Promise<LogAnchor | undefined>) {
    const contract = chain.logContract;
    const anchor = contract && (await find(contract));
    if (!anchor) return undefined;
    const { size, transactionHash, blockNumber, blockHash, blockTime } = anchor;
    const block = { blockNumber: Number(blockNumber), blockHash, blockTime: blockTime.toISOString() };
    return { ...contract, size, transactionHash, ...block };
  }
  return {
    findAnchor: (index) => read((contract) => anchors.findCovering(contract, index)),
    readLastAnchor: () => read((contract) => anchors.readLast(contract)),
  };
}

type Log = (level: 'info' | 'warn' | 'error', details: object, message: string) => void;

function openWitnesses(policy: WitnessPolicy, files: LogFiles, log: Log): CheckpointWitnesses {
  return new CheckpointWitnesses({
    policy,
    files,
    count: (witness, outcome) => logWitnessRequests.inc({ witness, outcome }),
    onChange: (witness, failure) =>
      failure === undefined
        ? log('info', { witness }, 'public log: the witness signs')
        : log('warn', { witness, reason: failure }, 'public log: the witness does not sign'),
  });
}

/** Beside the published files, which are in a bucket or on disk. */
export async function openLogFiles({ storage, dataDir }: Pick<Config, 'storage' | 'dataDir'>): Promise<LogFiles> {
  return storage ? openLogS3(storage, storage.environment) : openLogDisk(join(dataDir, 'public-log'));
}

export function logKeyPath({ logKeyFile, dataDir }: Pick<Config, 'logKeyFile' | 'dataDir'>): string {
  return logKeyFile ?? join(dataDir, 'log-key.pem');
}

/** A key is made for a log that begins only: a log that has lost its key must not go on with another one unnoticed. */
async function openSigners(config: Config, origin: string, known: LogKeys | undefined) {
  const path = logKeyPath(config);
  const pem =
    known || config.logKeyFile !== undefined
      ? await readFile(path, 'utf8').catch((error: unknown) => {
          throw new LogStoppedError('key', `the key of the log cannot be read: ${String(error)}`);
        })
      : await readOrCreateSecret(path, generateLogKey);
  const signers = createLogSigners(origin, readKeys(pem, path));
  if (!known || signers.some((signer) => describeSigner(signer) === known.vkey)) return signers;
  throw new LogStoppedError('key', `${path} does not have the key ${known.vkey}, which signs the log`);
}

function readKeys(pem: string, path: string) {
  try {
    return readLogKeys(pem);
  } catch (error) {
    throw new LogStoppedError('key', `${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function describeRegistry(config: Config, { createdAt, signing, chain }: PublicLogParts) {
  const chainId = chain.contract.chainId ?? config.chainId;
  if (chainId === undefined) throw new Error('the node has not told the id of the chain yet');
  const contract: `0x${string}` = `0x${chain.contract.address.slice(2).toLowerCase()}`;
  const signers = signing.publishedRoots.signerRoots.map(({ sha256 }): `0x${string}` => `0x${sha256}`);
  return { chain: chainId, contract, since: createdAt, signers };
}

/** The identity of the log, signed again when its keys change, or when the node has told the chain of its contract. */
function followIdentity({
  records,
  chain,
  signer,
  witnesses,
}: {
  readonly records: LogSequenceQueries;
  readonly chain: Pick<Chain, 'logContract'>;
  readonly signer: JwsSigner;
  readonly witnesses: string | undefined;
}) {
  let current: { readonly known: string; readonly identity: SignedLogIdentity } | undefined;

  async function update(): Promise<void> {
    const keys = (await records.listKeys()).map(({ vkey }) => vkey).toReversed();
    const [vkey] = keys;
    const { logContract: contract } = chain;
    const known = [...keys, contract?.address].join();
    if (vkey === undefined || current?.known === known) return;
    // The name of the key is that of the log.
    const [origin = ''] = vkey.split('+');
    const policy = statePolicy([...new Set(keys)], witnesses);
    const identity = { origin, vkey, policy, ...(contract && { contract }) };
    const jws = await signJws(signer, LOG_IDENTITY_TYPE, identity);
    current = { known, identity: { ...identity, jws } };
  }

  const loop = new JobLoop({
    async step() {
      await update();
      return current ? KEYS_POLL_MS : FIRST_KEYS_POLL_MS;
    },
    onFailure: () => KEYS_POLL_MS,
  });
  return { read: () => current?.identity, close: () => loop.stop() };
}

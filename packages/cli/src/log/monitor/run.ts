// `log monitor`: where the log and its keys come from, one run after the other, and what is printed of each.

import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { explanations, type RegistryClient } from '@provenance-registry/client';
import { encodeBase64, formatVerifierKey, type LogPolicy } from '@provenance-registry/log';
import { toArgumentPaths } from '../../argumentPaths.js';
import { connect } from '../../connect.js';
import type { Context } from '../../context.js';
import { CommandError, systemReason, UsageError } from '../../errors.js';
import { type ExitCode, worstExitCode } from '../../exitCode.js';
import { formatLookalike } from '../../lookalikes/formatLookalikes.js';
import type { MonitorRunOutput } from '../../outputSchemas/monitor.js';
import { acquireLock } from '../../register/lock.js';
import { toRegistryKey } from '../../settings.js';
import { hashSource } from '../../targets.js';
import { bold, joinLines, red, type Text, text } from '../../text.js';
import { loadTrust, readPin, type Trust } from '../../trust/loadTrust.js';
import { describeHead } from '../checkpoints.js';
import { findingKinds } from '../findings.js';
import { parseNamedPolicy, readStatedPolicy } from '../policy.js';
import { openLog, openLogSource, sourceOptions } from '../source.js';
import { isNews, type MonitorOptions, type MonitorResult, runMonitor } from './monitor.js';

const WEBHOOK_TIMEOUT_MS = 10_000;

export interface MonitorCommandOptions {
  readonly folder: string;
  /** Undefined: the log of the service. */
  readonly from: string | undefined;
  readonly mirrors: readonly string[];
  readonly witnessUrls: readonly string[];
  readonly marks: readonly string[];
  /** A folder; undefined: no look-alikes are searched for. */
  readonly lookalikes: string | undefined;
  /** Undefined: once. */
  readonly everyMs: number | undefined;
  readonly webhook: string | undefined;
}

export async function runMonitorCommand(context: Context, options: MonitorCommandOptions): Promise<ExitCode> {
  const folder = resolve(context.cwd, options.folder);
  const release = await acquireLock(folder, `A monitor runs with ${options.folder} already.`);
  const exitCodes: ExitCode[] = [];
  try {
    do {
      const exitCode = await runOnce(context, folder, options).catch((error: unknown): ExitCode => {
        if (options.everyMs === undefined || context.signal.aborted || !(error instanceof CommandError)) throw error;
        if (error.exitCode === 2) throw error;
        context.warn(error.message);
        return error.exitCode;
      });
      exitCodes.push(exitCode);
      if (options.everyMs === undefined) break;
      await sleep(options.everyMs, undefined, { signal: context.signal });
    } while (!context.signal.aborted);
  } catch (error) {
    if (!context.signal.aborted) throw error;
  } finally {
    await release();
  }
  return worstExitCode(exitCodes);
}

async function runOnce(context: Context, folder: string, options: MonitorCommandOptions): Promise<ExitCode> {
  const progress = context.showProgress({ label: 'Checking leaves', unit: 'files' });
  const found = await findLog(context, options.from);
  const report = async (result: MonitorResult) => {
    progress.end();
    const output = toOutput(result);
    context.printResult(output, format(result));
    if (options.webhook !== undefined && isNews(result)) await post(context, options.webhook, output);
  };
  try {
    const { findings, unchecked } = await runMonitor(
      {
        ...found,
        folder,
        mirrors: options.mirrors.map((place) => openLog(place, sourceOptions(context))),
        witnessUrls: options.witnessUrls,
        marks: new Set(options.marks),
        pictures: openPictures(context, options.lookalikes),
        signal: context.signal,
        onProgress: (done, total) => progress.update({ done, total }),
      },
      report,
    );
    if (findings.length > 0) return 1;
    return unchecked.length > 0 ? 3 : 0;
  } finally {
    progress.end();
  }
}

function openPictures(context: Context, name: string | undefined): MonitorOptions['pictures'] {
  const [folder] = name === undefined ? [] : toArgumentPaths(context, [name]);
  if (!folder) return undefined;
  const hash = async (path: Buffer) =>
    (await hashSource(context, { name: path.toString(), path }, () => {})).fingerprint;
  return { folder, hash };
}

type FoundLog = Pick<MonitorOptions, 'source' | 'policy' | 'service' | 'chain'>;

/** Another copy is watched alone; else the log of the service, with all that the service says. */
async function findLog(context: Context, from: string | undefined): Promise<FoundLog> {
  const { trustAnchorsPem, chain, logContract, ...namedLog } = await loadTrust(context, await readPin(context));
  const named = parseNamedPolicy(namedLog);
  if (from !== undefined) {
    if (!named) throw new UsageError('--from needs the key of the log: add --log-key KEY.');
    return { source: openLog(from, sourceOptions(context)), policy: named, service: undefined, chain: undefined };
  }
  const client = await connect(context);
  const { log, signerRoots } = await client.getRegistryIdentity();
  const rootsPem = trustAnchorsPem ?? signerRoots.map(({ pem }) => pem).join('\n');
  const policy = named ?? (await requireStatedPolicy(log?.jws, rootsPem));
  if (!named && trustAnchorsPem === undefined) {
    const keys = policy.logKeys.map(formatVerifierKey).join(', ');
    context.printHint(plain(`The key of the log is the word of the service: ${keys}`));
  }
  const { url } = await context.loadSettings();
  const registry = toRegistryKey(url.value);
  const trust = { rootsPem, registry, chainId: chain.chainId, contract: chain.address, now: new Date() };
  return {
    source: openLog(client.baseUrl, sourceOptions(context)),
    policy,
    service: { client, trust, openFiles: (address) => openLogSource(address, sourceOptions(context)) },
    chain: await findChain(client, chain, logContract ?? log?.contract?.address),
  };
}

/** Where no contract is named, the one of the service. */
async function findChain(
  client: RegistryClient,
  { rpcUrl: rpcUrls, address }: Trust['chain'],
  anchors: string | undefined,
): Promise<MonitorOptions['chain']> {
  if (!rpcUrls) return undefined;
  return { rpcUrls, registry: address ?? (await client.getContract()).address, anchors };
}

const plain = (line: string): Text => text`${line}`;

async function requireStatedPolicy(statement: string | undefined, rootsPem: string): Promise<LogPolicy> {
  const policy = statement === undefined ? undefined : await readStatedPolicy(statement, rootsPem);
  if (policy) return policy;
  throw new CommandError('NO_TRUST', 3, 'No root vouches for the key of the log: name it with --log-key KEY.');
}

function toOutput(result: MonitorResult): MonitorRunOutput {
  const { checkpoint, ...rest } = result;
  return {
    ...(checkpoint && {
      log: checkpoint.origin,
      size: checkpoint.size,
      root: encodeBase64(checkpoint.root),
    }),
    checkedAt: new Date().toISOString(),
    ...rest,
  };
}

function format(result: MonitorResult): Text {
  const { checkpoint, leaves, manifests, unpublished, marks, searched, lookalikes, findings, omitted, unchecked } =
    result;
  const lines: Text[] = [];
  if (checkpoint) lines.push(text`${bold(checkpoint.origin)}: ${describeHead(checkpoint)}`);
  const waiting = unpublished > 0 ? `; ${unpublished} more not published yet` : '';
  lines.push(text`Checked: ${leaves} new leaves, ${manifests} manifests${waiting}.`);
  for (const { index, mark, fingerprint, id, time } of marks) {
    lines.push(text`Under Mark ${mark}: ${fingerprint}, ${id}, ${time}, leaf ${index}`);
  }
  if (searched > 0) lines.push(plain(`${searched} files searched for. ${explanations.sentForSearch.perceptualHashes}`));
  for (const { picture, ...found } of lookalikes) lines.push(text`${bold(picture)}:`, formatLookalike(found));
  for (const { kind, message, evidence } of findings) {
    lines.push(text`${red('Contradiction')}: ${message} (${findingKinds[kind]})`, text`  Evidence: ${evidence}`);
  }
  if (omitted > 0) lines.push(text`${omitted} more of these are left out.`);
  for (const reason of unchecked) lines.push(text`Could not check: ${reason}`);
  if (findings.length === 0)
    lines.push(plain(unchecked.length === 0 ? 'No contradiction.' : 'No contradiction in what was checked.'));
  return joinLines(lines);
}

async function post(context: Context, url: string, output: MonitorRunOutput): Promise<void> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(output),
      signal: AbortSignal.any([context.signal, AbortSignal.timeout(WEBHOOK_TIMEOUT_MS)]),
    });
    await response.body?.cancel();
    if (!response.ok) context.warn(`The webhook answered ${response.status}.`);
  } catch (error) {
    context.warn(`The webhook could not be reached: ${systemReason(error)}.`);
  }
}

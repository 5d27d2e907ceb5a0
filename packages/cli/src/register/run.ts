// One run of `provenance register`, from the choice of the Mark to the summary.

import { InvalidResponseError, type RegistryClient, ServiceUnreachableError } from '@provenance-registry/client';
import type { Mark } from '@provenance-registry/core';
import { type ArgumentPath, toArgumentPaths } from '../argumentPaths.js';
import { readAuthorship } from '../authorship.js';
import { connectLoggedIn, connectUnchecked } from '../connect.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import type { ExitCode } from '../exitCode.js';
import { chooseMarkId } from '../names.js';
import { text } from '../text.js';
import { createIgnoreRules } from '../walk/ignoreRules.js';
import { type BytePath, commonFolder, parentFolder, toBytePath } from '../walk/paths.js';
import { resolveNamedPaths } from '../walk/walk.js';
import { createCodeComputer } from './codeComputer.js';
import { countFiles, type FileQueueOptions, registerAllFiles, registerAndWatch } from './fileQueue.js';
import { createRegistrar } from './fileRegistrar.js';
import { createMemoryJournal, type Journal, JournalError, journalFolder, openJournal } from './journal.js';
import { awaitLastReceipt } from './lastReceipt.js';
import type { RegisterOptions } from './options.js';
import { createOutageRetry } from './outageRetry.js';
import { createRunReport, type RunReport } from './report.js';
import { INTERRUPTED, StopController, type StopReason } from './stopController.js';

const DEFAULT_CONCURRENCY = 8;

export async function runRegister(context: Context, options: RegisterOptions): Promise<ExitCode> {
  const { concurrency = DEFAULT_CONCURRENCY } = options;
  const report = createRunReport(context, options);
  const { stats } = report;
  const notify = (message: string) => context.printNote(text`${message}`);

  // Ctrl-C does not abort the requests of this client, so that pending ones finish.
  const signal = new AbortController().signal;
  const registerContext = { ...context, signal, printHint: report.showRetry };
  const client = await connectLoggedIn(registerContext);
  const marks = await listMarks(context, client, options);
  const given = options.newMark ?? options.mark ?? (await context.loadSettings()).mark?.value;
  const markId = await chooseMarkId(marks, given);
  const mark = marks.find(({ id }) => id === markId);
  const authorshipStated = !options.dryRun && (await readAuthorship(context, options.authorship));
  const stopController = stopOnInterrupt(context);

  // Nothing but the fingerprint of a private file leaves the machine.
  const sendsCodes = mark?.visibility === 'public' && !options.noCodes && !options.dryRun;
  const paths = toArgumentPaths(context, options.paths);
  const journal = await openRunJournal(context, options, { url: client.baseUrl, markId, paths });
  // The outage retry repeats requests itself, since it can tell an outage from a request that fails.
  const singleAttemptClient = await connectUnchecked(registerContext, { maxAttempts: 1 });
  const withOutageRetry = createOutageRetry({
    stopController,
    isReady: (probeSignal) => isReady(singleAttemptClient, probeSignal),
    notify,
    onRetry: (message) => report.showRetry(text`${message}`),
  });
  const computeCodes = sendsCodes ? await createCodeComputer(stopController.signal, notify) : undefined;
  const registrar = createRegistrar({
    ...options,
    ...{ client: singleAttemptClient, withOutageRetry, marks, markId, authorshipStated, computeCodes },
    ...{ concurrency, journal, stopController, stats },
  });
  const walkOptions = {
    paths,
    rules: createIgnoreRules(options.ignore),
    excludedFolders: [toBytePath(journalFolder(context.env))],
  };

  const queue = { walkOptions, registrar, journal, stopController, stats };
  await registerFiles(queue, report, () => (options.watch ? registerAndWatch(queue, notify) : registerAllFiles(queue)));

  const { lastLogged } = stats;
  const log = lastLogged && !options.watch ? await awaitLastReceipt(client, lastLogged, context.signal) : null;
  const { reason: stopReason } = stopController;
  const advice = stopReason && (await adviceAfterStop(stopReason, options, client, mark));
  return report.printSummary({ mark: { id: markId, name: mark?.name }, authorshipStated, log, stopReason, advice });
}

/** Lists the Marks of the user, after creating the one that `--new-mark` names if it is not among them. */
async function listMarks(
  context: Context,
  client: RegistryClient,
  { newMark, mark, dryRun }: RegisterOptions,
): Promise<readonly Mark[]> {
  if (newMark !== undefined && (mark !== undefined || dryRun)) {
    throw new UsageError('--new-mark cannot be combined with --mark or --dry-run.');
  }
  const marks = await client.listMarks({ signal: context.signal });
  if (newMark === undefined || marks.some(({ name }) => name === newMark)) return marks;
  const created = await client.createMark({ name: newMark });
  context.printHint(text`Created the Mark ${created.name} (${created.id}).`);
  return [...marks, created];
}

function stopOnInterrupt(context: Context): StopController {
  const stopController = new StopController();
  context.signal.addEventListener('abort', () => {
    context.printHint(text`Finishing pending requests. Press Ctrl-C again to stop immediately.`);
    stopController.stop(INTERRUPTED);
  });
  return stopController;
}

async function openRunJournal(
  context: Context,
  { noJournal, watch }: RegisterOptions,
  { url, markId, paths }: { url: string; markId: string; paths: readonly ArgumentPath[] },
): Promise<Journal> {
  const journalOptions = { readsOwnWrites: watch };
  if (noJournal) return createMemoryJournal(journalOptions);
  const scope = { url, markId, folder: await findCommonFolder(paths) };
  return openJournal(journalFolder(context.env), scope, journalOptions);
}

async function findCommonFolder(paths: readonly ArgumentPath[]): Promise<BytePath> {
  const { folders, others } = await resolveNamedPaths(paths);
  const fileFolders = others.flatMap((entry) => (entry.kind === 'file' ? [parentFolder(entry.path)] : []));
  return commonFolder([...folders.map(({ path }) => path), ...fileFolders]);
}

async function registerFiles(queue: FileQueueOptions, report: RunReport, register: () => Promise<void>): Promise<void> {
  report.startProgress();
  try {
    // Not awaited: the total only improves the progress bar.
    if (report.hasProgressBar) countFiles(queue).catch(() => {});
    await register();
  } finally {
    report.stopProgress();
    await queue.journal.close();
  }
}

export async function isReady(client: RegistryClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.getReadiness({ signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    // A web page, for example, is the login page of a network.
    return !(error instanceof ServiceUnreachableError || error instanceof InvalidResponseError);
  }
}

async function adviceAfterStop(
  stopReason: StopReason,
  { noJournal }: RegisterOptions,
  client: RegistryClient,
  mark: Mark | undefined,
): Promise<string | undefined> {
  const advice = noJournal
    ? 'Run the same command again to start over; registered files are recognized.'
    : 'Run the same command again to continue.';
  if (stopReason instanceof JournalError) return `All registered files are counted above. ${advice}`;
  // Other refusals would be the same again.
  if (stopReason.code !== 'TIER_RESTRICTION') return stopReason.exitCode === 1 ? undefined : advice;
  const resetsAt = await findDailyReset(client, mark);
  return resetsAt === undefined ? advice : `The daily limit resets at ${resetsAt}. ${advice}`;
}

/** Undefined if it is not the daily limit that is reached. */
export async function findDailyReset(client: RegistryClient, mark: Mark | undefined): Promise<string | undefined> {
  try {
    const organizationId = mark?.organization?.id;
    const { dailyArtifactLimit, usage, resetsAt } = await client.getTierLimits({ organizationId });
    return dailyArtifactLimit >= 0 && usage.dailyArtifacts >= dailyArtifactLimit ? resetsAt : undefined;
  } catch {
    return undefined;
  }
}

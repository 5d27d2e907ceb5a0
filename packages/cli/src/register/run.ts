// One run of `register`, from the Mark to the summary.

import { type RegistryClient, ServiceUnreachableError } from '@provenance-registry/client';
import { isUuid, type Mark } from '@provenance-registry/core';
import type { ExitCode } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { pathsOf } from '../paths.js';
import { text } from '../text.js';
import { countAll, keepRegistering, registerAll } from './fileQueue.js';
import { createRegistrar } from './fileRegistrar.js';
import { ignoreRules } from './ignoreRules.js';
import { forgetfulJournal, JournalProblem, journalFolder, openJournal } from './journal.js';
import { createPatience } from './outageRetry.js';
import { bytePath, commonFolder, folderOf } from './paths.js';
import { createSender } from './registrationApi.js';
import { createReport, type Report } from './report.js';
import { Brake, interrupted, type Stop } from './stopController.js';
import { findNamed, type Named } from './walk.js';

export interface RegisterOptions {
  readonly paths: readonly string[];
  readonly mark: string | undefined;
  readonly ignore: readonly string[];
  readonly wait: boolean;
  readonly dryRun: boolean;
  readonly watch: boolean;
  readonly versions: boolean;
  readonly concurrency: number | undefined;
  readonly noJournal: boolean;
}

const DEFAULT_CONCURRENCY = 8;
/** More would only queue up at the service. */
const MAX_CONCURRENCY = 64;

export async function runRegister(context: Context, options: RegisterOptions): Promise<ExitCode> {
  const { concurrency = DEFAULT_CONCURRENCY } = options;
  if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
    throw new UsageError(`--concurrency is a number from 1 to ${MAX_CONCURRENCY}.`, ['register']);
  }
  const report = createReport(context, options);
  // Ctrl-C does not reach its requests: what is under way is finished.
  const client = await connectLoggedIn({ ...context, signal: new AbortController().signal, hint: report.retrying });
  const brake = new Brake();
  context.signal.addEventListener('abort', () => {
    context.hint(text`Finishing what is under way. Ctrl-C again ends it at once.`);
    brake.pull(interrupted);
  });
  const marks = await client.listMarks({ signal: context.signal });
  const markId = chooseMark(marks, options.mark ?? (await context.settings()).mark?.value);
  await register(context, { ...options, concurrency }, { client, report, marks, markId, brake });
  const mark = marks.find(({ id }) => id === markId);
  const { stop } = brake;
  const advice = stop && (await adviceFor(stop, options, client, mark));
  return report.conclude({ mark: { id: markId, name: mark?.name }, stop, advice });
}

interface Parts {
  readonly client: RegistryClient;
  readonly report: Report;
  readonly marks: readonly Mark[];
  readonly markId: string;
  readonly brake: Brake;
}

async function register(
  context: Context,
  options: RegisterOptions & { readonly concurrency: number },
  { client, report, marks, markId, brake }: Parts,
): Promise<void> {
  const { tally } = report;
  const say = (message: string) => context.note(text`${message}`);
  const paths = pathsOf(options.paths);
  const folder = journalFolder(context.env);
  const journal = options.noJournal
    ? forgetfulJournal({ looksAgain: options.watch })
    : await openJournal(
        folder,
        { url: client.baseUrl, markId, folder: workFolder(await findNamed(paths)) },
        { looksAgain: options.watch },
      );
  const sender = createSender({
    client,
    ask: createPatience({ brake, isThere: (signal) => isThere(client, signal), say }),
    brake,
    markId,
    ownMarks: new Map(marks.map(({ id, name }) => [id, name])),
    onSend() {
      tally.sent += 1;
    },
  });
  const registrar = createRegistrar({ ...options, sender, journal, brake, tally });
  const what = { paths, rules: ignoreRules(options.ignore), closed: [bytePath(folder)] };
  const finding = { what, registrar, journal, brake, tally };
  report.begin();
  try {
    // Nobody waits for it: it only makes the progress better.
    if (report.isWatched) countAll(what, finding).catch(() => {});
    await (options.watch ? keepRegistering(finding, say) : registerAll(finding));
  } finally {
    report.end();
    await journal.close();
  }
}

function chooseMark(marks: readonly Mark[], given: string | undefined): string {
  if (given !== undefined && isUuid(given)) return given.toLowerCase();
  const [only, ...others] = marks;
  if (given === undefined && only && others.length === 0) return only.id;
  const list = marks.map(({ id, name }) => `${id} (${name})`).join(', ');
  const yours = list ? `Yours: ${list}.` : "You have none yet: 'provenance marks create NAME' makes one.";
  throw new UsageError(
    `${given === undefined ? 'Say which Mark, with --mark.' : `'${given}' is no id of a Mark.`} ${yours}`,
    ['register'],
  );
}

/** Any answer is one, also that it is not known how the service does. */
async function isThere(client: RegistryClient, signal: AbortSignal): Promise<boolean> {
  try {
    await client.getReadiness({ signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return !(error instanceof ServiceUnreachableError);
  }
}

/** What the run is about: the folder that all of it is in. */
function workFolder({ folders, others }: Named): string {
  const files = others.flatMap((found) => (found.kind === 'file' ? [folderOf(found.path)] : []));
  return commonFolder([...folders.map(({ path }) => path), ...files]);
}

async function adviceFor(
  stop: Stop,
  { noJournal }: RegisterOptions,
  client: RegistryClient,
  mark: Mark | undefined,
): Promise<string | undefined> {
  const again = noJournal
    ? 'The same command begins anew, and finds what is registered.'
    : 'The same command goes on from here.';
  if (stop instanceof JournalProblem) return `All that was registered is counted above. ${again}`;
  // What is refused for other reasons stays refused.
  if (stop.code !== 'TIER_RESTRICTION') return stop.exitCode === 1 ? undefined : again;
  const resets = await capResets(client, mark);
  return resets === undefined ? again : `The day's count begins anew at ${resets}. ${again}`;
}

/** When the daily cap is what is reached. */
async function capResets(client: RegistryClient, mark: Mark | undefined): Promise<string | undefined> {
  try {
    const organizationId = mark?.organization?.id;
    const { dailyArtifactLimit, usage, resetsAt } = await client.getTierLimits({ organizationId });
    return dailyArtifactLimit >= 0 && usage.dailyArtifacts >= dailyArtifactLimit ? resetsAt : undefined;
  } catch {
    // The service has said that the cap is reached; how long, only it knows.
    return undefined;
  }
}

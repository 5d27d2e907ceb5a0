// `watch status`: the state of the folder watcher, from its lock and its last report.

import { StringEnum } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { readProfile } from '../configFile.js';
import type { WatchedFolder } from '../configSchema.js';
import type { Context } from '../context.js';
import type { ExitCode } from '../exitCode.js';
import { NullableTime } from '../outputSchemas/common.js';
import { bold, formatTable, green, joinLines, type Piece, red, type Text, text, yellow } from '../text.js';
import { FolderState, HEARTBEAT_MS, isWatcherRunning, Pause, readWatcherState, type WatcherState } from './state.js';

/** A process that has not reported for several heartbeats hangs, or the machine has just woken up. */
const MAX_REPORT_AGE_MS = 4 * HEARTBEAT_MS;

export const WatcherStatus = Type.Object(
  {
    service: StringEnum(['running', 'not-responding', 'not-running'], {
      description: '`not-responding`: a process holds the lock of the watcher, but has not reported for two minutes.',
    }),
    profile: Type.String({ description: 'The profile whose folders it watches.' }),
    pid: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'Null if it does not run.' }),
    startedAt: NullableTime('When the process started; of the last one if it does not run.'),
    reportedAt: NullableTime('When the watcher last reported: the state of the folders is of this time.'),
    loginExpiresAt: NullableTime('When the token expires, if known.'),
    pause: Type.Union([Pause, Type.Null()], { description: 'Why nothing is registered at the moment, in any folder.' }),
    folders: Type.Array(FolderState),
  },
  { title: 'WatcherStatus' },
);
export type WatcherStatus = Static<typeof WatcherStatus>;

export async function showWatcherStatus(context: Context): Promise<ExitCode> {
  const status = await readWatcherStatus(context);
  context.printResult(status, formatStatus(status));
  return exitCodeFor(status);
}

async function readWatcherStatus(context: Context): Promise<WatcherStatus> {
  const { env } = context;
  const { profile } = await context.loadSettings();
  const { watchedFolders = {} } = await readProfile(env, profile.value);
  const isRunning = await isWatcherRunning(env, profile.value);
  const state = await readWatcherState(env, profile.value);
  const reportAgeMs = Date.now() - Date.parse(state?.reportedAt ?? '');
  // Not the report of an earlier process.
  const hasReported = reportAgeMs < MAX_REPORT_AGE_MS;
  return {
    service: isRunning ? (hasReported ? 'running' : 'not-responding') : 'not-running',
    profile: profile.value,
    pid: isRunning ? (state?.pid ?? null) : null,
    startedAt: state?.startedAt ?? null,
    reportedAt: state?.reportedAt ?? null,
    loginExpiresAt: state?.loginExpiresAt ?? null,
    pause: (isRunning ? state?.pause : null) ?? null,
    folders: Object.entries(watchedFolders).map(([folder, settings]) =>
      toFolderState(folder, settings, state, isRunning),
    ),
  };
}

/** The configuration says which folders there are; the report, what happened to them. */
function toFolderState(
  folder: string,
  { mark, authorshipStated, ignore, sendsCodes }: WatchedFolder,
  state: WatcherState | undefined,
  isRunning: boolean,
): FolderState {
  const settings = { folder, mark, authorshipStated, ignore, sendsCodes };
  const reported = state?.folders.find((one) => one.folder === folder && one.mark === mark);
  if (reported) return { ...reported, ...settings, pause: isRunning ? reported.pause : null };
  const counts = { registered: 0, waiting: 0, others: 0, refused: 0, failed: 0 };
  return { ...settings, ...counts, problems: [], pause: null, notices: [], scannedAt: null, lastRegistration: null };
}

function exitCodeFor({ service, pause, folders }: WatcherStatus): ExitCode {
  if (folders.length === 0) return 0;
  if (service === 'not-responding') return 3;
  const needsAttention = folders.some(
    (one) => one.pause !== null || one.others + one.refused + one.failed > 0 || one.notices.length > 0,
  );
  return service === 'not-running' || pause !== null || needsAttention ? 1 : 0;
}

function formatStatus(status: WatcherStatus): Text {
  const { folders, pause, loginExpiresAt } = status;
  if (folders.length === 0) {
    return joinLines([formatWatcher(status), "No folders are watched. Add one with 'provenance watch add FOLDER'."]);
  }
  return joinLines([
    formatWatcher(status),
    ...(pause ? [formatPause(pause)] : []),
    ...(loginExpiresAt === null || pause?.code === 'login' ? [] : [`The login expires at ${loginExpiresAt}.`]),
    ...folders.flatMap((folder) => ['', formatFolder(folder)]),
  ]);
}

function formatWatcher({ service, profile, pid, startedAt, reportedAt }: WatcherStatus): Text {
  if (service === 'running') {
    return text`${green('running')}  profile ${profile}, process ${pid ?? ''}, since ${startedAt ?? ''}`;
  }
  if (service === 'not-responding') {
    return text`${red('not responding')}  profile ${profile}: last report ${reportedAt ?? 'never'}`;
  }
  const last = reportedAt === null ? '' : `; what follows is of ${reportedAt}`;
  return text`${red('not running')}  profile ${profile}${last}`;
}

function formatPause({ message, since, retryAt }: Pause): Text {
  const next = retryAt === null ? '' : ` Next attempt at ${retryAt}.`;
  return text`${red('paused')}  since ${since}: ${message}${next}`;
}

function formatFolder(folder: FolderState): Text {
  const { pause, notices, problems, lastRegistration, scannedAt } = folder;
  const listed = problems.map(({ path, outcome, reason }): Piece => text`${red(outcome)}  ${path}: ${reason}`);
  const unlisted = folder.others + folder.refused + folder.failed - problems.length;
  return joinLines([
    bold(folder.folder),
    formatTable([
      ['Mark', `${folder.mark}, authorship ${folder.authorshipStated ? 'stated' : 'not stated'}`],
      ...(folder.ignore.length > 0 ? [['Ignored', folder.ignore.join(' ')]] : []),
      ['Files', scannedAt === null ? 'not counted yet' : formatCounts(folder)],
      ['Last', lastRegistration ? `${lastRegistration.at} ${lastRegistration.path}` : 'nothing registered yet'],
    ]),
    ...(pause ? [formatPause(pause)] : []),
    ...notices.map((notice) => yellow(notice)),
    ...listed,
    ...(unlisted > 0 ? [`… and ${unlisted} more`] : []),
  ]);
}

function formatCounts({ registered, waiting, others, refused, failed }: FolderState): string {
  const counts = [
    `${registered} registered`,
    `${waiting} waiting`,
    ...(others > 0 ? [`${others} registered by another user`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  return counts.join(', ');
}

// What is known about the files of a watched folder that are not registered: those still being written, and those that could
// not be registered, each with the time of the next attempt.

import type { FingerprintResult } from '../register/stats.js';
import type { BytePath } from '../walk/paths.js';
import { type FileEntry, type FileIdentity, isSameIdentity, type NonFileEntry } from '../walk/walk.js';
import type { FolderState } from './state.js';

/** A file is complete when it has not changed for this long, and no process has it open for writing. */
const QUIET_MS = 3000;
/** Nothing tells when a file is closed. */
const OPEN_FILE_INTERVAL_MS = 10_000;
const FIRST_RETRY_MS = 60_000;
const MAX_RETRY_MS = 60 * 60_000;
/** More would make the report unreadable. All are counted. */
const MAX_LISTED_PROBLEMS = 20;

type ProblemOutcome = FolderState['problems'][number]['outcome'];

interface Problem {
  readonly displayPath: string;
  readonly identity: FileIdentity;
  readonly outcome: ProblemOutcome;
  readonly reason: string;
  readonly attempts: number;
  /** Infinity: not before the file changes. */
  readonly retryAtMs: number;
}

interface Observation {
  readonly identity: FileIdentity;
  readonly sinceMs: number;
}

export type FileStates = ReturnType<typeof createFileStates>;

/** Times are of the monotonic clock. */
export function createFileStates(nowMs: () => number = () => performance.now()) {
  const problems = new Map<BytePath, Problem>();
  let observations = new Map<BytePath, Observation>();
  let nextObservations = new Map<BytePath, Observation>();
  let seenProblems = new Set<BytePath>();
  let unreadable: FolderState['problems'] = [];
  let nextUnreadable: FolderState['problems'] = [];
  /** When the next scan should be, by this one. */
  let dueAtMs = Number.POSITIVE_INFINITY;

  function requestScan(atMs: number): void {
    dueAtMs = Math.min(dueAtMs, atMs);
  }

  return {
    startScan(): void {
      dueAtMs = Number.POSITIVE_INFINITY;
      nextObservations = new Map();
      seenProblems = new Set();
      nextUnreadable = [];
    },
    /** Forgets files that a complete scan did not find. */
    endScan(): void {
      observations = nextObservations;
      unreadable = nextUnreadable;
      for (const path of problems.keys()) if (!seenProblems.has(path)) problems.delete(path);
    },
    addUnreadable({ displayPath, reason }: NonFileEntry): void {
      nextUnreadable.push({ path: displayPath, outcome: 'failed', reason });
    },
    /** Whether it could not be registered, and is not tried again yet. */
    hasProblem({ path, identity }: FileEntry): boolean {
      const problem = problems.get(path);
      if (!problem || !isSameIdentity(problem.identity, identity)) return false;
      seenProblems.add(path);
      if (problem.retryAtMs <= nowMs()) return false;
      requestScan(problem.retryAtMs);
      return true;
    },
    /** Whether the file has been the same for a while. */
    isQuiet({ path, identity }: FileEntry): boolean {
      const earlier = observations.get(path);
      const isSame = earlier !== undefined && isSameIdentity(earlier.identity, identity);
      const sinceMs = isSame ? earlier.sinceMs : nowMs();
      // Also for files that are due: they may have to wait for the connection.
      nextObservations.set(path, { identity, sinceMs });
      const isQuiet = nowMs() - sinceMs >= QUIET_MS;
      if (!isQuiet) requestScan(sinceMs + QUIET_MS);
      return isQuiet;
    },
    addOpenFile(): void {
      requestScan(nowMs() + OPEN_FILE_INTERVAL_MS);
    },
    addProblem(
      { path, displayPath, identity }: FileEntry,
      { outcome, reason, mark }: FingerprintResult,
    ): { isNew: boolean; reason: string } {
      const earlier = problems.get(path);
      const attempts = earlier && isSameIdentity(earlier.identity, identity) ? earlier.attempts + 1 : 1;
      const retryMs = Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS);
      const isFinal = outcome === 'others' || outcome === 'refused';
      const problem = {
        displayPath,
        identity,
        outcome: isFinal ? outcome : 'failed',
        reason: reason ?? (mark === undefined ? 'registered by another user' : `registered under ${mark}`),
        attempts,
        retryAtMs: isFinal ? Number.POSITIVE_INFINITY : nowMs() + retryMs,
      } as const;
      problems.set(path, problem);
      seenProblems.add(path);
      requestScan(problem.retryAtMs);
      return { isNew: attempts === 1, reason: problem.reason };
    },
    removeProblem({ path }: FileEntry): void {
      problems.delete(path);
    },
    /** Makes all files due, after a jump of time or when something was repaired. */
    retryAll(): void {
      for (const [path, problem] of problems) {
        if (problem.outcome === 'failed') problems.set(path, { ...problem, retryAtMs: 0 });
      }
    },
    dueAtMs: () => dueAtMs,
    summarize(): Pick<FolderState, 'problems' | ProblemOutcome> {
      const counts = { others: 0, refused: 0, failed: unreadable.length };
      const listed = unreadable.slice(0, MAX_LISTED_PROBLEMS);
      for (const { displayPath, outcome, reason } of problems.values()) {
        counts[outcome] += 1;
        if (listed.length < MAX_LISTED_PROBLEMS) listed.push({ path: displayPath, outcome, reason });
      }
      return { ...counts, problems: listed };
    },
  };
}

// Work on many files, with progress, cancellation and one result for each file.

import { useCallback, useRef, useState } from 'preact/compat';

export interface TaskItem {
  readonly name: string;
  /** Returns a note, or throws. */
  readonly work: (signal: AbortSignal) => Promise<string | undefined>;
}

export interface TaskResult {
  readonly item: TaskItem;
  readonly outcome: 'done' | 'failed' | 'skipped';
  /** What the user should know about it, as a sentence. */
  readonly note: string | undefined;
}

/** Thrown for a file that the work does not apply to. */
export class SkippedError extends Error {}

export interface Task {
  readonly title: string;
  readonly lead?: string;
  readonly items: readonly TaskItem[];
  readonly concurrency: number;
  readonly describeError: (error: unknown) => string;
  /** Called once after the work, also if it was canceled. Returns a note about all files. */
  readonly finish?: () => Promise<string | undefined>;
}

export interface TaskState {
  readonly task: Task;
  readonly isRunning: boolean;
  readonly isCanceled: boolean;
  readonly results: readonly TaskResult[];
  readonly note: string | undefined;
}

async function runTask(
  task: Task,
  signal: AbortSignal,
  onResult: (result: TaskResult) => void,
): Promise<string | undefined> {
  const waiting = [...task.items];
  const workNext = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined && !signal.aborted; item = waiting.shift()) {
      const result = await workOn(task, item, signal);
      // What was interrupted is not started, as far as the user can tell.
      if (result) onResult(result);
    }
  };
  await Promise.all(Array.from({ length: task.concurrency }, workNext));
  return task.finish?.();
}

async function workOn(task: Task, item: TaskItem, signal: AbortSignal): Promise<TaskResult | undefined> {
  try {
    return { item, outcome: 'done', note: await item.work(signal) };
  } catch (error) {
    if (error instanceof SkippedError) return { item, outcome: 'skipped', note: error.message };
    if (signal.aborted) return undefined;
    return { item, outcome: 'failed', note: task.describeError(error) };
  }
}

/** One task at a time. */
export function useBulkTask() {
  const [state, setState] = useState<TaskState>();
  const controller = useRef<AbortController | undefined>(undefined);
  const start = useCallback((task: Task) => {
    controller.current?.abort();
    const current = new AbortController();
    controller.current = current;
    const update = (change: (last: TaskState) => TaskState) => {
      if (controller.current === current) setState((last) => last && change(last));
    };
    setState({ task, isRunning: true, isCanceled: false, results: [], note: undefined });
    const onResult = (result: TaskResult) => update((last) => ({ ...last, results: [...last.results, result] }));
    runTask(task, current.signal, onResult).then(
      (note) => update((last) => ({ ...last, isRunning: false, note })),
      (error: unknown) => update((last) => ({ ...last, isRunning: false, note: task.describeError(error) })),
    );
  }, []);
  const cancel = useCallback(() => {
    controller.current?.abort();
    setState((last) => last && { ...last, isCanceled: true });
  }, []);
  const close = useCallback(() => {
    controller.current?.abort();
    controller.current = undefined;
    setState(undefined);
  }, []);
  return { state, start, cancel, close };
}

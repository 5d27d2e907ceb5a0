// Counts the files and bytes of a run, and shows them as progress.

import type { Context } from '../context.js';
import { formatAmount, type ProgressOptions } from '../progress.js';
import { type InputSources, listInputs } from './inputs.js';

interface Amounts {
  readonly files: number;
  readonly bytes: number;
}

export function startMeter(context: Context, sources: InputSources, { label, unit }: ProgressOptions) {
  const progress = context.showProgress({ label, unit });
  let total: Amounts | undefined;
  let [files, bytes] = [0, 0];

  function show(): void {
    if (!context.isInteractive) return;
    const ofTotal = (done: string, all: string | undefined) => (all === undefined ? done : `${done} of ${all}`);
    const fileCount = ofTotal(String(files), total && String(total.files));
    const size = ofTotal(formatAmount(bytes, 'bytes'), total && formatAmount(total.bytes, 'bytes'));
    progress.update(
      unit === 'files'
        ? { done: files, total: total?.files, detail: size }
        : { done: bytes, total: total?.bytes, detail: total?.files === 1 ? undefined : `${fileCount} files` },
    );
  }

  // Not awaited: the total only improves the progress bar. A list may be a pipe, which cannot be read twice.
  if (context.isInteractive && sources.filesFrom === undefined) {
    void countInputs(sources).then(
      (counted) => {
        total = counted;
        show();
      },
      () => {},
    );
  }

  return {
    /** Returns a function to call with the number of bytes of one file read so far. */
    trackFile() {
      let reported = 0;
      return (read: number) => {
        bytes += read - reported;
        reported = read;
        show();
      };
    },
    finishFile(): void {
      files += 1;
      show();
    },
    done: (): Amounts => ({ files, bytes }),
    end: () => progress.end(),
  };
}

/** Undefined when a size is not known. */
async function countInputs(sources: InputSources): Promise<Amounts | undefined> {
  let [files, bytes] = [0, 0];
  for await (const input of listInputs(sources)) {
    if (input.kind === 'skipped') continue;
    if (input.kind === 'stdin' || (input.kind === 'file' && input.size === undefined)) return undefined;
    files += 1;
    bytes += input.kind === 'file' ? (input.size ?? 0) : 0;
  }
  return { files, bytes };
}

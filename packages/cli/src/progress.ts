// A progress bar with rate and remaining time, redrawn on one line of the terminal.

import type { Output } from './processIo.js';
import { escapeControls } from './text.js';

export interface ProgressOptions {
  readonly label: string;
  readonly unit: 'bytes' | 'files';
  readonly total?: number | undefined;
}

export interface ProgressState {
  readonly done: number;
  readonly total?: number | undefined;
  /** Shown last, if there is room. */
  readonly detail?: string | undefined;
}

export interface Progress {
  update(state: ProgressState): void;
  end(): void;
}

export interface Screen {
  /** Removes the progress line, if there is one, before other output. */
  clearProgress?: (() => void) | undefined;
}

/** Faster updates cannot be read. */
const REDRAW_MS = 100;
/** An average over the whole time would hide that the work has become slow. */
const RATE_WINDOW_MS = 10_000;
/** A rate over a shorter time is noise. */
const MIN_RATE_WINDOW_MS = 500;
const BAR_COLUMNS = 24;
/** Width for terminals that do not report their width, or report 0. */
const DEFAULT_COLUMNS = 80;

export function startProgress(
  output: Output,
  { label, unit, total }: ProgressOptions,
  screen: Screen = {},
  now: () => number = () => performance.now(),
): Progress {
  if (!output.isTTY) return { update() {}, end() {} };
  let state: ProgressState = { done: 0, total };
  // Short work shows no progress at all.
  let drawnAt = now();
  let isVisible = false;
  let redrawTimer: NodeJS.Timeout | undefined;
  const measureRate = createRateMeter();
  measureRate(now(), 0);

  function clear(): void {
    if (isVisible) output.write('\r\u001b[K');
    isVisible = false;
  }

  function draw(): void {
    clearTimeout(redrawTimer);
    redrawTimer = undefined;
    drawnAt = now();
    const columns = output.columns || DEFAULT_COLUMNS;
    // Some terminals wrap a line that uses the last column.
    const line = formatProgress(label, unit, state, measureRate(drawnAt, state.done), columns - 1);
    output.write(`\r${line}\u001b[K`);
    isVisible = true;
  }

  screen.clearProgress = clear;

  return {
    update(change) {
      state = { total, ...change };
      const wait = drawnAt + REDRAW_MS - now();
      if (wait <= 0) draw();
      else redrawTimer ??= setTimeout(draw, wait).unref();
    },
    end() {
      clearTimeout(redrawTimer);
      clear();
      screen.clearProgress = undefined;
    },
  };
}

/** Returns a function that adds a reading and returns the rate per second over the last seconds. */
export function createRateMeter(): (at: number, done: number) => number | undefined {
  const readings: { readonly at: number; readonly done: number }[] = [];
  return (at, done) => {
    readings.push({ at, done });
    // Keep one reading just outside the window, so that the rate covers all of it.
    while (readings[1] !== undefined && readings[1].at <= at - RATE_WINDOW_MS) readings.shift();
    const oldest = readings[0] ?? { at, done };
    return at - oldest.at < MIN_RATE_WINDOW_MS ? undefined : ((done - oldest.done) / (at - oldest.at)) * 1000;
  };
}

/** The line is never wider than `columns`. */
export function formatProgress(
  label: string,
  unit: ProgressOptions['unit'],
  { done, total, detail }: ProgressState,
  rate: number | undefined,
  columns: number,
): string {
  const share = total === undefined ? undefined : total === 0 ? 1 : Math.min(done / total, 1);
  const parts = [
    escapeControls(label),
    share === undefined ? undefined : `${String(Math.floor(share * 100)).padStart(3)}%`,
    `${formatAmount(done, unit)}${total === undefined ? '' : ` of ${formatAmount(total, unit)}`}`,
    rate === undefined ? undefined : `${formatAmount(rate, unit)}/s`,
    rate === undefined || total === undefined || rate <= 0
      ? undefined
      : `${formatDuration((total - done) / rate)} left`,
    detail === undefined ? undefined : escapeControls(detail),
  ].filter((part) => part !== undefined);
  // A narrow terminal drops the bar first, then cuts the end.
  const bar = share === undefined ? undefined : formatBar(share);
  const withBar = bar === undefined ? parts : [parts[0] ?? '', bar, ...parts.slice(1)];
  const essential = (detail === undefined ? withBar : withBar.slice(0, -1)).join('  ');
  const fitting = essential.length <= columns ? withBar : parts;
  return [...fitting.join('  ')].slice(0, Math.max(columns, 0)).join('');
}

function formatBar(share: number): string {
  const full = Math.round(share * BAR_COLUMNS);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_COLUMNS - full)}]`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

export function formatAmount(count: number, unit: ProgressOptions['unit']): string {
  if (unit === 'files') return count >= 10 || Number.isInteger(count) ? String(Math.round(count)) : count.toFixed(1);
  let value = count;
  let step = 0;
  while (value >= 999.5 && step < byteUnits.length - 1) {
    value /= 1000;
    step += 1;
  }
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${byteUnits[step]}`;
}

/** `0:07`, `12:30`, `3:05:00`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const padded = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${padded(minutes)}:${padded(rest)}` : `${minutes}:${padded(rest)}`;
}

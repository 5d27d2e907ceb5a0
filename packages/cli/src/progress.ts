// A bar with rate and time left, on one line of a terminal that is drawn again and again.

import { visible } from './text.js';

export interface ProgressOptions {
  /** What is being done: `Hashing`. */
  readonly label: string;
  readonly unit: 'bytes' | 'files';
  /** Left out while nobody knows. */
  readonly total?: number | undefined;
}

export interface ProgressState {
  readonly done: number;
  readonly total?: number | undefined;
  /** What it is at just now, or other news; shown at the end while there is room. */
  readonly detail?: string | undefined;
}

export interface Progress {
  update(state: ProgressState): void;
  /** The line disappears; what is printed next takes its place. */
  end(): void;
}

/** What other output has to know of a line that is drawn again and again. */
export interface ScreenLine {
  clear(): void;
}

interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Ten times a second is as often as a number can be read. */
const REDRAW_MS = 100;
/** The rate is that of the last seconds: an average of the whole would hide that things became slow. */
const RATE_WINDOW_MS = 10_000;
/** A rate over less time than this is noise. */
const FIRST_RATE_MS = 500;
const BAR_COLUMNS = 24;
/** Of a terminal that does not say how wide it is, or says 0. */
const DEFAULT_COLUMNS = 80;

const silent: Progress = { update() {}, end() {} };

export function showProgress(
  screen: Screen,
  { label, unit, total }: ProgressOptions,
  live: { line?: ScreenLine | undefined } = {},
  now: () => number = () => performance.now(),
): Progress {
  if (!screen.isTTY) return silent;
  let state: ProgressState = { done: 0, total };
  // What is done at once shows nothing.
  let drawnAt = now();
  let isShown = false;
  let later: NodeJS.Timeout | undefined;
  const rateNow = rateMeter();
  rateNow(now(), 0);

  function clear(): void {
    if (isShown) screen.write('\r\u001b[K');
    isShown = false;
  }

  function draw(): void {
    clearTimeout(later);
    later = undefined;
    drawnAt = now();
    const columns = screen.columns || DEFAULT_COLUMNS;
    // The last column stays free: some terminals break the line when it is used.
    const written = progressLine(label, unit, state, rateNow(drawnAt, state.done), columns - 1);
    screen.write(`\r${written}\u001b[K`);
    isShown = true;
  }

  live.line = { clear };

  return {
    update(news) {
      state = { total, ...news };
      const wait = drawnAt + REDRAW_MS - now();
      if (wait <= 0) draw();
      else later ??= setTimeout(draw, wait).unref();
    },
    end() {
      clearTimeout(later);
      clear();
      live.line = undefined;
    },
  };
}

/** Tells what is done in a second, from the readings of the last seconds. */
export function rateMeter(): (at: number, done: number) => number | undefined {
  const readings: { readonly at: number; readonly done: number }[] = [];
  return (at, done) => {
    readings.push({ at, done });
    // The oldest reading that is kept lies just outside of the window, so that the window is full.
    while (readings[1] !== undefined && readings[1].at <= at - RATE_WINDOW_MS) readings.shift();
    const oldest = readings[0] ?? { at, done };
    return at - oldest.at < FIRST_RATE_MS ? undefined : ((done - oldest.done) / (at - oldest.at)) * 1000;
  };
}

/** The line as it is drawn, never wider than that. */
export function progressLine(
  label: string,
  unit: ProgressOptions['unit'],
  { done, total, detail }: ProgressState,
  rate: number | undefined,
  columns: number,
): string {
  const share = total === undefined ? undefined : total === 0 ? 1 : Math.min(done / total, 1);
  const parts = [
    visible(label),
    share === undefined ? undefined : `${String(Math.floor(share * 100)).padStart(3)}%`,
    `${amount(done, unit)}${total === undefined ? '' : ` of ${amount(total, unit)}`}`,
    rate === undefined ? undefined : `${amount(rate, unit)}/s`,
    rate === undefined || total === undefined || rate <= 0 ? undefined : `${duration((total - done) / rate)} left`,
    detail === undefined ? undefined : visible(detail),
  ].filter((part) => part !== undefined);
  // On a narrow terminal the bar goes first, then whatever stands last.
  const bar = share === undefined ? undefined : drawBar(share);
  const withBar = bar === undefined ? parts : [parts[0] ?? '', bar, ...parts.slice(1)];
  const essential = (detail === undefined ? withBar : withBar.slice(0, -1)).join('  ');
  const chosen = essential.length <= columns ? withBar : parts;
  return [...chosen.join('  ')].slice(0, Math.max(columns, 0)).join('');
}

function drawBar(share: number): string {
  const full = Math.round(share * BAR_COLUMNS);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_COLUMNS - full)}]`;
}

const sizes = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

export function amount(count: number, unit: ProgressOptions['unit']): string {
  if (unit === 'files') return count >= 10 || Number.isInteger(count) ? String(Math.round(count)) : count.toFixed(1);
  let value = count;
  let step = 0;
  while (value >= 999.5 && step < sizes.length - 1) {
    value /= 1000;
    step += 1;
  }
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${sizes[step]}`;
}

/** `0:07`, `12:30`, `3:05:00`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

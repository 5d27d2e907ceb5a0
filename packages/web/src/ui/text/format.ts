// Numbers and ages as text.

import { language, oneByte, sizeUnits } from '#texts/site/format';

const integers = new Intl.NumberFormat(language);
const ages = new Intl.RelativeTimeFormat(language);
const decimals = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

export function formatNumber(number: number): string {
  return integers.format(number);
}

export function formatSize(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), sizeUnits.length - 1);
  if (bytes === 1) return oneByte;
  return `${decimals.format(bytes / 1000 ** power)} ${sizeUnits[power]}`;
}

/** "1 file", "2 files". */
export function pluralize(number: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(number)} ${number === 1 ? singular : plural}`;
}

const AGE_UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** "2 minutes ago". A clock that is ahead has not been long ago either. */
export function formatAge(at: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(at)) / 1_000));
  const [unit, length] = AGE_UNITS.find(([, long]) => seconds >= long) ?? ['second', 1];
  return ages.format(-Math.floor(seconds / length), unit);
}

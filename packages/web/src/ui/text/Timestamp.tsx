// A point in time in the language of the texts and the time zone of the user; the exact time is in the tooltip, and in UTC on
// paper, whose reader does not know the zone in which it was printed.

import { language } from '#texts/site/format';

const dayFormat = new Intl.DateTimeFormat(language, { dateStyle: 'long' });
const minuteFormat = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23' });
const exactFormat = new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' });

interface TimestampProps {
  /** ISO 8601. Anything else is shown as it is. */
  readonly at: string;
  readonly isDayOnly?: boolean | undefined;
}

export function Timestamp({ at, isDayOnly = false }: TimestampProps) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return (
    <time dateTime={date.toISOString()} title={exactFormat.format(date)} data-utc={formatUtc(date)}>
      <span>{(isDayOnly ? dayFormat : minuteFormat).format(date)}</span>
    </time>
  );
}

/** `2026-06-01 23:30:00 UTC`. */
function formatUtc(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

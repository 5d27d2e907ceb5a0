// A point in time in the language of the texts and the time zone of the user; the exact time is in the tooltip.

import { language } from '#texts/format';

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
    <time dateTime={date.toISOString()} title={exactFormat.format(date)}>
      {(isDayOnly ? dayFormat : minuteFormat).format(date)}
    </time>
  );
}

// A point in time in the user's locale; the exact time is in the tooltip.

const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const minuteFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });
const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

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

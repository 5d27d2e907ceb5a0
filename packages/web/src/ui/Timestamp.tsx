// A moment, as people here write it; the exact one is what machines and hovering pointers see.

const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const minutes = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

interface TimeProps {
  /** ISO 8601. Anything else is shown as it is. */
  readonly at: string;
  readonly isDayOnly?: boolean | undefined;
}

export function Time({ at, isDayOnly = false }: TimeProps) {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return at;
  return (
    <time dateTime={moment.toISOString()} title={exact.format(moment)}>
      {(isDayOnly ? days : minutes).format(moment)}
    </time>
  );
}

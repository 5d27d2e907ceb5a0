// Text of people and files inside HTML and SVG.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Between tags and inside quotes. A picture with one character that XML does not know would not be shown at all. */
export function escapeMarkup(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD').replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** For readers whose time zone is not known. */
export function dayOf(timestamp: string): string {
  return days.format(new Date(timestamp));
}

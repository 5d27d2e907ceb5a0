// Text for HTML and SVG.

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text between tags and in quoted attributes. Replaces characters that XML forbids: one of them breaks an SVG. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD')
    .replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

/** Formats the day in UTC, because the reader's time zone is unknown. */
export function formatDay(timestamp: string): string {
  return dayFormat.format(new Date(timestamp));
}

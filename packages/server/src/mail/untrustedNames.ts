// Names in mails that users have chosen: text of others, which must not look like text of the registry.

/** Longer names are cut: there is no room for a message. */
const MAX_CHARACTERS = 60;
/** What separates the parts of links and addresses, as clients recognize them. */
const SEPARATORS = /[.:/\\@\u3002\uFF0E\uFF61\uFF20\uFF0F\uFF1A](?=\S)/gu;
/** They would end the quotation. */
const QUOTES = /["\u201C-\u201F\u00AB\u00BB\u2033\u2036\u300C-\u300F\u301D-\u301F\uFF02]/gu;
const ZERO_WIDTH_SPACE = '\u200B';

/** In quotation marks, without quotation marks and links of its own. Mail clients make links of whatever looks like an address. */
export function quoteName(name: string): string {
  return `“${preventLinks(shorten(name).replace(QUOTES, '’'))}”`;
}

/** Text that no client makes a link of. */
export function preventLinks(text: string): string {
  return text.replace(SEPARATORS, `$&${ZERO_WIDTH_SPACE}`);
}

function shorten(name: string): string {
  const characters = [...name];
  return characters.length <= MAX_CHARACTERS ? name : `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
}

// The nodes of the chain that a visitor has named for verification. The page keeps their origins in a cookie, so that the
// policy of the documents for this visitor, and of no others, allows connections to them.

/** The page's `ownSources.ts` writes it. */
const COOKIE = 'provenance-nodes';
/** The number that the page accepts. */
const MAX_NODES = 5;
/** An origin without wildcards and separators, which would change the policy. */
const ORIGIN = /^https?:\/\/[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?(?::\d{1,5})?$/;

/** Anything but origins is left out. */
export function readNamedOrigins(cookies: string | undefined): string[] {
  const [, value = ''] =
    cookies
      ?.split(/;\s*/)
      .map((cookie) => cookie.split('='))
      .find(([name]) => name === COOKIE) ?? [];
  return decode(value)
    .split(' ')
    .slice(0, MAX_NODES)
    .filter((origin) => ORIGIN.test(origin));
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '';
  }
}

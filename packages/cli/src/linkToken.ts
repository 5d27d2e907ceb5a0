// The token in a link that the service mailed or handed out, such as `https://registry.example/invitation#TOKEN`.

import type { Context } from './context.js';
import { UsageError } from './errors.js';
import { STDIN } from './inputs/options.js';
import { readLine } from './prompt.js';

export const linkArgument = { label: 'LINK', summary: 'link or its token; - reads it from standard input' } as const;
export const linkWarning = 'Other users of this machine can see arguments while the command runs; with - they do not.';

export async function readLinkToken(context: Context, given: string): Promise<string> {
  return parseLinkToken(context, given === STDIN ? await readLine(context) : given);
}

/** The token must not be sent to another service than the one that issued it. */
export async function parseLinkToken(context: Context, given: string): Promise<string> {
  const value = given.trim();
  if (!URL.canParse(value)) {
    if (!/^[\w-]{1,200}$/.test(value)) throw new UsageError('This is neither a link of the service nor its token.');
    return value;
  }
  const { origin, hash } = new URL(value);
  const { url } = await context.loadSettings();
  if (origin !== new URL(url.value).origin) {
    throw new UsageError(`The link is of ${origin}, not of ${url.value} (${url.from}). Use --url ${origin}.`);
  }
  if (hash.length < 2) throw new UsageError('The link has no token: it must be complete, with what follows the #.');
  return hash.slice(1);
}

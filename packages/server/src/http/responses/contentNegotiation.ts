// What a client accepts, by its Accept header.

import Negotiator from 'negotiator';

/** The offered type that the client prefers; the first one counts when it has no preference. */
export function preferredMediaType<T extends string>(accept: string | undefined, offered: readonly T[]): T | undefined {
  const preferred = negotiatorFor(accept).mediaType([...offered]);
  return offered.find((type) => type === preferred);
}

export function acceptsOnlyImages(accept: string | undefined): boolean {
  const accepted = negotiatorFor(accept).mediaTypes();
  return accepted.length > 0 && accepted.every((type) => /^image\//i.test(type));
}

function negotiatorFor(accept: string | undefined): Negotiator {
  return new Negotiator({ headers: { accept } });
}

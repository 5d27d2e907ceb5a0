// What a member of a leaf can be. Functions, since copies of the log check millions of leaves, and pages allow no code that is
// compiled while they run.

export type Guard<T> = (value: unknown) => value is T;
export type Guarded<G> = G extends (value: unknown) => value is infer T ? T : never;
type Optional<T> = { readonly optional: Guard<T> };

type Members = Readonly<Record<string, Guard<unknown> | Optional<unknown>>>;
type RequiredName<M extends Members> = { [N in keyof M]: M[N] extends Guard<unknown> ? N : never }[keyof M];
type Content<M extends Members> = { [N in RequiredName<M>]: Guarded<M[N]> } & {
  [N in Exclude<keyof M, RequiredName<M>>]?: M[N] extends Optional<infer T> ? T : never;
};

export function matching<T extends string>(pattern: string, maxLength = Number.POSITIVE_INFINITY): Guard<T> {
  const expression = new RegExp(pattern, 'u');
  return (value): value is T => typeof value === 'string' && value.length <= maxLength && expression.test(value);
}

export function oneOf<const T>(...allowed: readonly T[]): Guard<T> {
  return (value): value is T => allowed.some((one) => one === value);
}

export function integer(minimum: number, maximum: number): Guard<number> {
  return (value): value is number => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum;
}

export function listOf<T>(item: Guard<T>, minItems: number, maxItems: number): Guard<T[]> {
  return (value): value is T[] =>
    Array.isArray(value) && value.length >= minItems && value.length <= maxItems && value.every((one) => item(one));
}

export function either<A, B>(one: Guard<A>, other: Guard<B>): Guard<A | B> {
  return (value): value is A | B => one(value) || other(value);
}

export function optional<T>(guard: Guard<T>): Optional<T> {
  return { optional: guard };
}

/** An object with these members and no others. */
export function closed<M extends Members>(members: M): Guard<Content<M>> {
  const required = Object.keys(members).filter((name) => typeof members[name] === 'function');
  const guards = new Map(
    Object.entries(members).map(([name, member]) => [name, typeof member === 'function' ? member : member.optional]),
  );
  return (value): value is Content<M> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    if (!required.every((name) => Object.hasOwn(value, name))) return false;
    return Object.entries(value).every(([name, member]) => guards.get(name)?.(member) === true);
  };
}

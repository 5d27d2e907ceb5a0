// The form of sentences that are chosen by a code.

/** A sentence, a function of its values, or several of them for one code. */
type Explanation = string | ((...values: never[]) => string) | { readonly [variant: string]: Explanation };
export type ByCode<Code extends string> = Readonly<Record<Code, Explanation>>;

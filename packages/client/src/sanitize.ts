// Makes text from services, nodes and manifests safe to show in messages.

/** Invisible characters, bidirectional overrides and terminal control sequences. */
const UNSAFE_CHARACTERS = /[\p{C}\p{Zl}\p{Zp}]/gu;
/** More than any script has on one letter: further ones only make it as tall as the page. */
const EXCESS_MARKS = /(\p{M}{4})\p{M}+/gu;
const MAX_LENGTH = 300;

export function sanitize(text: string): string {
  const safe = text.replaceAll(UNSAFE_CHARACTERS, '�').replaceAll(EXCESS_MARKS, '$1');
  return safe.length > MAX_LENGTH ? `${safe.slice(0, MAX_LENGTH)}…` : safe;
}

/** Template tag that sanitizes every interpolated value. */
export function safeText(literals: TemplateStringsArray, ...values: readonly unknown[]): string {
  return String.raw({ raw: literals }, ...values.map((value) => sanitize(String(value))));
}

// Texts from others inside our sentences: services, nodes and manifests can name things as they like.

/** What is invisible, turns text around or moves a terminal's cursor. */
const UNSEEMLY = /[\p{C}\p{Zl}\p{Zp}]/gu;
const MAX_LENGTH = 300;

export function plain(text: string): string {
  const clean = text.replaceAll(UNSEEMLY, '�');
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean;
}

/** A sentence of ours, with whatever others have said made harmless. */
export function say(ours: TemplateStringsArray, ...theirs: readonly unknown[]): string {
  return String.raw({ raw: ours }, ...theirs.map((text) => plain(String(text))));
}

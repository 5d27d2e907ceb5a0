// Makes results safe to read for a model: untrusted texts lose invisible characters, and a list tells which texts they are.

import { escapeControls } from '../text.js';

/** Names have at most 1,024 characters; what is longer is cut. */
const MAX_TEXT_CHARACTERS = 2_000;

/**
 * Characters that a person does not see and a model does: format characters such as tags, variation selectors, private and
 * unassigned ones. Not the joiners and selectors of emoji and scripts.
 */
const invisibleCharacters = /(?!\u200C|\u200D|\uFE0E|\uFE0F)[\p{Cf}\p{Co}\p{Cn}\p{Variation_Selector}]/gu;

/** Values of machines: hexadecimal numbers, UUIDs, times. */
const machineValue =
  /^(?:0x[0-9a-f]*|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)$/i;

/** Texts that this program wrote or the caller sent, and values of closed sets. All others are untrusted. */
const ownPointers = [
  /^\/(?:notice|file|verdict|match|outcome|status|sent|missing|artifactId)$/,
  /^\/registry\//,
  /^\/lookup\//,
  /^\/independentSources\//,
  /^\/facts\/\d+\/(?:name|evidence\/)/,
  /^\/times\/\d+\/source$/,
  /^\/problems\/\d+\/(?:source|code)$/,
  /^\/notices\/\d+\/code$/,
  /^\/reason\/code$/,
  /^\/checks\/\w+\/(?:state|proves|code)$/,
  /^\/checks\/\w+\/details\/(?:source|from|addressFrom|trustedBy|status)$/,
  /^\/embedded\/state$/,
  /\/(?:trustedBy|kind|grade|part|hashesBy|licenseKey|visibility|contentVisibility|method|use)$/,
  /^\/artifact\/status$/,
  /^\/artifact\/renditions\/\d+\/status$/,
];

export interface CleanedResult {
  readonly value: unknown;
  /** JSON pointers (RFC 6901) to untrusted texts. */
  readonly untrusted: readonly string[];
}

export function cleanText(text: string): string {
  const cut = text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)}…` : text;
  return escapeControls(cut).replaceAll(
    invisibleCharacters,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

export function cleanResult(result: object): CleanedResult {
  const untrusted: string[] = [];

  function clean(value: unknown, pointer: string): unknown {
    if (typeof value === 'string') {
      if (!machineValue.test(value) && !ownPointers.some((own) => own.test(pointer))) untrusted.push(pointer);
      return cleanText(value);
    }
    if (Array.isArray(value)) return value.map((item, index) => clean(item, `${pointer}/${index}`));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        const name = cleanText(key);
        return [name, clean(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)];
      }),
    );
  }

  return { value: clean(result, ''), untrusted };
}

// Fields of a request that its schema does not have: which they are, and which known field is probably meant. A misspelled
// optional field would otherwise be a silent default.

import { type FieldProblem, nameSkeleton } from '@provenance-registry/core';
import { distance } from 'fastest-levenshtein';

/** Problems reported for one object: a body may have a hundred thousand. */
const MAX_PROBLEMS = 5;
/** Characters of a name that are shown. */
const MAX_NAME_LENGTH = 60;
/** Known names have at most 20 characters: longer ones than this differ by more than is a mistake in typing. */
const MAX_COMPARED_LENGTH = 32;
/** Known fields that a message lists. */
const MAX_LISTED_FIELDS = 8;

/** @param parent the JSON Pointer of the object */
export function findUnknownFields(object: object, known: object, parent: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  // Unlike Object.keys, stops early.
  for (const name in object) {
    if (Object.hasOwn(known, name)) continue;
    problems.push(describeUnknownField(shorten(name), Object.keys(known), parent));
    if (problems.length === MAX_PROBLEMS) break;
  }
  return problems;
}

function describeUnknownField(name: string, known: readonly string[], parent: string): FieldProblem {
  const shown = formatName(`${parent}/${name}`.slice(1));
  const path = `${parent}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { path, message: `Unknown field ${shown}. ${adviseOn(name, known)}` };
}

function adviseOn(name: string, known: readonly string[]): string {
  if (known.length === 0) return 'No fields are expected here.';
  const meant = findMeant(name, known);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  const others = known.length - MAX_LISTED_FIELDS;
  const listed = known.slice(0, MAX_LISTED_FIELDS).join(', ');
  return others > 0 ? `Known fields are ${listed} and ${others} more.` : `Known fields: ${listed}.`;
}

/** Case and separators make no difference, and letters of other scripts none if they look the same. */
function findMeant(name: string, known: readonly string[]): string | undefined {
  // Some characters stand for many others.
  if (name.normalize('NFKC').length > MAX_COMPARED_LENGTH) return undefined;
  const fold = /^[ -~]*$/.test(name) ? foldAscii : nameSkeleton;
  const typed = fold(name);
  let meant: string | undefined;
  let fewestEdits = Number.POSITIVE_INFINITY;
  for (const field of known) {
    const maxEdits = Math.min(maxEditsOf(field), fewestEdits - 1);
    const letters = foldKnown(field, fold);
    if (Math.abs(letters.length - typed.length) > maxEdits) continue;
    const edits = distance(typed, letters);
    if (edits > maxEdits) continue;
    meant = field;
    fewestEdits = edits;
  }
  return meant;
}

/** Two swapped letters count as two edits; in longer names a third of the letters may be wrong. */
function maxEditsOf({ length }: string): number {
  return Math.min(Math.max(2, Math.floor(length / 3)), length - 1);
}

type Fold = (name: string) => string;

/** Faster than a skeleton, and more exact: in that, an "m" is two letters. */
function foldAscii(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

const foldedNames = new Map<Fold, Map<string, string>>();

/** Known names are few, and the same for every request. */
function foldKnown(field: string, fold: Fold): string {
  const names = foldedNames.get(fold) ?? new Map<string, string>();
  foldedNames.set(fold, names);
  const folded = names.get(field) ?? fold(field);
  names.set(field, folded);
  return folded;
}

function shorten(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}

/** In ASCII, so that a look-alike of a known name shows where it differs, and nothing changes the writing direction. */
function formatName(name: string): string {
  if (/^[\w./-]+$/.test(name)) return name;
  return JSON.stringify(name).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

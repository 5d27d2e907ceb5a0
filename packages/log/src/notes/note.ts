// Signed notes of c2sp.org/signed-note: a text, and lines with signatures of it.

import { concatBytes, decodeBase64, encodeBase64, encodeUtf8 } from '../encoding.js';
import { LogFormatError } from '../errors.js';

/** 16 signatures of five kilobytes, which a reader has to accept, and more; in characters. */
export const MAX_NOTE_LENGTH = 128 * 1024;
/** A reader has to accept 16. */
const MAX_SIGNATURES = 64;
const KEY_ID_BYTES = 4;
const SIGNATURE_PREFIX = '— ';

export interface NoteSignature {
  readonly name: string;
  /** The first four bytes of a hash of name and key; with the name it tells which key signed. */
  readonly keyId: number;
  readonly signature: Uint8Array;
}

export interface Note {
  /** With the newline at its end: what is signed. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a note must not contain
const controlCharacter = /[\0-\x09\x0b-\x1f]/;
/** Unicode's white space, as Go's `unicode.IsSpace` has it; `\s` differs. */
const nameForm = /^[^\p{White_Space}+]+$/u;

export function isKeyName(name: string): boolean {
  return nameForm.test(name) && !controlCharacter.test(name);
}

/** @throws LogFormatError */
export function parseNote(note: string): Note {
  if (note.length > MAX_NOTE_LENGTH) throw new LogFormatError('The note is too long.');
  // Refuses what is not Unicode.
  encodeUtf8(note);
  if (controlCharacter.test(note)) throw new LogFormatError('The note has a control character.');
  const end = note.lastIndexOf('\n\n') + 1;
  if (end === 0) throw new LogFormatError('The note has no text, or no empty line before its signatures.');
  return { text: note.slice(0, end), signatures: parseSignatures(note.slice(end + 1)) };
}

export function formatNote({ text, signatures }: Note): string {
  return `${text}\n${signatures.map(formatSignature).join('')}`;
}

/** Lines with signatures alone, as witnesses respond. */
export function parseSignatures(lines: string): NoteSignature[] {
  if (!lines.endsWith('\n')) throw new LogFormatError('The note has no signature, or its last line has no end.');
  const signatures = lines.slice(0, -1).split('\n').map(parseSignature);
  if (signatures.length > MAX_SIGNATURES) throw new LogFormatError('The note has too many signatures.');
  return signatures;
}

function parseSignature(line: string): NoteSignature {
  const [prefix, name = '', base64 = '', ...rest] = line.split(' ');
  const bytes = decodeBase64(base64);
  if (`${prefix} ` !== SIGNATURE_PREFIX || !isKeyName(name) || rest.length > 0 || bytes.length <= KEY_ID_BYTES) {
    throw new LogFormatError('A line of the note is not a signature.');
  }
  const keyId = new DataView(bytes.buffer).getUint32(0);
  return { name, keyId, signature: bytes.subarray(KEY_ID_BYTES) };
}

function formatSignature({ name, keyId, signature }: NoteSignature): string {
  return `${SIGNATURE_PREFIX}${name} ${encodeBase64(concatBytes([encodeKeyId(keyId), signature]))}\n`;
}

export function encodeKeyId(keyId: number): Uint8Array {
  const bytes = new Uint8Array(KEY_ID_BYTES);
  new DataView(bytes.buffer).setUint32(0, keyId);
  return bytes;
}

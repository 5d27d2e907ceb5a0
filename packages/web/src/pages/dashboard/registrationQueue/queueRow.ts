// One file on its way into the registry, as the list shows it and as the browser keeps it.

import {
  type ArtifactStatus,
  type Fingerprint,
  isFilename,
  isFingerprint,
  isMediaType,
} from '@provenance-registry/core';

export const rowStates = [
  /** For its turn: to be hashed, or to be sent when it has its fingerprint. */
  'waiting',
  'hashing',
  'sending',
  /** Recorded by the service; the chain follows. */
  'pending',
  'submitting',
  'submitted',
  'failed',
  /** Registered before, under a Mark of one's own. */
  'yours',
  /** Registered before, by somebody else. */
  'others',
  /** The page was left before the file had its fingerprint: only choosing it again helps. */
  'missing',
] as const;
export type RowState = (typeof rowStates)[number];

export interface Row {
  readonly id: string;
  readonly markId: string;
  readonly filename: string;
  /** Where it was within the folder that was chosen. Shown, and never sent. */
  readonly folder: string;
  readonly size: number | undefined;
  readonly mediaType: string | undefined;
  readonly lastModified: number | undefined;
  readonly fingerprint: Fingerprint | undefined;
  readonly state: RowState;
  readonly hashedBytes: number;
  /** Of a failed one: why, as a sentence. Of one that was registered before: under which Mark, if that may be known. */
  readonly note: string | undefined;
  /** The same for every attempt to send it, so that a lost answer is no second registration. */
  readonly idempotencyKey: string;
}

/** A file that was chosen, or a fingerprint that came without one. */
export type Candidate = Pick<Row, 'filename' | 'folder' | 'size' | 'mediaType' | 'lastModified' | 'fingerprint'> & {
  readonly file: File | undefined;
};

/** What needs nothing any more, from anybody. */
export function isFinished({ state }: Row): boolean {
  return state === 'submitted' || state === 'yours' || state === 'others';
}

/** What the chain has still to take. */
export function isOnItsWay({ state }: Row): boolean {
  return state === 'pending' || state === 'submitting';
}

export function stateOf(status: ArtifactStatus): RowState {
  return status === 'confirmed' ? 'submitted' : status;
}

/** The same file chosen twice is one row; so is a fingerprint that came without a file. */
export function identityOf(row: Omit<Candidate, 'file'>): string {
  if (row.lastModified === undefined && row.fingerprint !== undefined) return row.fingerprint;
  return JSON.stringify([row.folder, row.filename, row.size, row.lastModified]);
}

const UNSENDABLE = /[\p{Cc}\p{Cs}]/gu;
const MAX_FILENAME = 1024;

/** File systems allow what the registry does not: control characters, halves of characters. */
export function sendableName(name: string): string {
  const text = name
    .replaceAll(UNSENDABLE, '\u{FFFD}')
    .slice(0, MAX_FILENAME)
    .replaceAll(/\p{Cs}/gu, '');
  return text === '' ? 'unnamed' : text;
}

export function candidateOf(file: File, folder = ''): Candidate {
  const { name, size, type, lastModified } = file;
  return {
    file,
    filename: sendableName(name),
    folder,
    size,
    mediaType: isMediaType(type) ? type : undefined,
    lastModified: lastModified >= 0 ? lastModified : undefined,
    fingerprint: undefined,
  };
}

/** A fingerprint that was computed elsewhere; what is not known of its file is left out. */
export function candidateWithoutFile(fingerprint: Fingerprint, filename: string, about: FileFacts = {}): Candidate {
  const { size = '', mediaType = '' } = about;
  return {
    file: undefined,
    filename: sendableName(filename),
    folder: '',
    size: /^\d{1,15}$/.test(size) ? Number(size) : undefined,
    mediaType: isMediaType(mediaType) ? mediaType : undefined,
    lastModified: undefined,
    fingerprint,
  };
}

interface FileFacts {
  readonly size?: string | undefined;
  readonly mediaType?: string | undefined;
}

/** What was kept, read back: as it is after the page was left in the middle. Undefined when it is something else. */
export function restored(kept: unknown): Row | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...kept };
  const { id, markId, filename, folder, fingerprint, note, idempotencyKey } = fields;
  const state = rowStates.find((name) => name === fields['state']);
  if (!isText(id) || !isText(markId) || !isText(idempotencyKey) || !isText(folder) || !state) return undefined;
  if (!isText(filename) || !isFilename(filename)) return undefined;
  const row = {
    id,
    markId,
    filename,
    folder,
    size: isCount(fields['size']) ? fields['size'] : undefined,
    mediaType: isText(fields['mediaType']) ? fields['mediaType'] : undefined,
    lastModified: isCount(fields['lastModified']) ? fields['lastModified'] : undefined,
    fingerprint: isText(fingerprint) && isFingerprint(fingerprint) ? fingerprint : undefined,
    hashedBytes: 0,
    note: isText(note) ? note : undefined,
    idempotencyKey,
  };
  return { ...row, state: afterLeaving(state, row.fingerprint !== undefined) };
}

function afterLeaving(state: RowState, hasFingerprint: boolean): RowState {
  if (!hasFingerprint) return 'missing';
  // Sent or not: sending it again under the same key tells.
  return state === 'hashing' || state === 'sending' ? 'waiting' : state;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

// A file in the registration queue.

import {
  type ArtifactStatus,
  type Fingerprint,
  isFilename,
  isFingerprint,
  isMediaType,
} from '@provenance-registry/core';

const rowStates = [
  /** To be hashed, or to be sent when it has its fingerprint. */
  'waiting',
  'hashing',
  'sending',
  /** Recorded by the service, not yet on chain. */
  'pending',
  'submitting',
  'submitted',
  'failed',
  /** Registered before, under a Mark of the user. */
  'yours',
  /** Registered before, by another user. */
  'others',
  /** The page was left before the file was hashed: the user has to choose it again. */
  'missing',
] as const;
export type RowState = (typeof rowStates)[number];

export interface QueueRow {
  readonly id: string;
  readonly markId: string;
  readonly filename: string;
  /** Path within the chosen folder. Shown, never sent. */
  readonly folder: string;
  readonly size: number | undefined;
  readonly mediaType: string | undefined;
  readonly lastModified: number | undefined;
  readonly fingerprint: Fingerprint | undefined;
  readonly state: RowState;
  readonly hashedBytes: number;
  /** Of a failed row: the reason, as a sentence. Of a duplicate: the name of its Mark, if that is visible. */
  readonly note: string | undefined;
  /** The same for every attempt to send the row, so that a lost response does not look like a duplicate. */
  readonly idempotencyKey: string;
}

/** A chosen file, or a fingerprint without a file. */
export type Candidate = Pick<
  QueueRow,
  'filename' | 'folder' | 'size' | 'mediaType' | 'lastModified' | 'fingerprint'
> & {
  readonly file: File | undefined;
};

/** Needs no further work. */
export function isFinished({ state }: QueueRow): boolean {
  return state === 'submitted' || state === 'yours' || state === 'others';
}

export function isAwaitingChain({ state }: QueueRow): boolean {
  return state === 'pending' || state === 'submitting';
}

export function rowStateFor(status: ArtifactStatus): RowState {
  return status === 'confirmed' ? 'submitted' : status;
}

/** Equal for the same file chosen twice, and for the same fingerprint without a file. */
export function rowIdentity(row: Omit<Candidate, 'file'>): string {
  if (row.lastModified === undefined && row.fingerprint !== undefined) return row.fingerprint;
  return JSON.stringify([row.folder, row.filename, row.size, row.lastModified]);
}

const INVALID_CHARACTERS = /[\p{Cc}\p{Cs}]/gu;
const MAX_FILENAME_LENGTH = 1024;

/** File systems allow control characters and lone surrogates in names; the registry does not. */
function sanitizeFilename(name: string): string {
  const text = name
    .replaceAll(INVALID_CHARACTERS, '\u{FFFD}')
    .slice(0, MAX_FILENAME_LENGTH)
    .replaceAll(/\p{Cs}/gu, '');
  return text === '' ? 'unnamed' : text;
}

export function candidateFromFile(file: File, folder = ''): Candidate {
  const { name, size, type, lastModified } = file;
  return {
    file,
    filename: sanitizeFilename(name),
    folder,
    size,
    mediaType: isMediaType(type) ? type : undefined,
    lastModified: lastModified >= 0 ? lastModified : undefined,
    fingerprint: undefined,
  };
}

export function candidateFromFingerprint(
  fingerprint: Fingerprint,
  filename: string,
  { size = '', mediaType = '' } = {},
): Candidate {
  return {
    file: undefined,
    filename: sanitizeFilename(filename),
    folder: '',
    size: /^\d{1,15}$/.test(size) ? Number(size) : undefined,
    mediaType: isMediaType(mediaType) ? mediaType : undefined,
    lastModified: undefined,
    fingerprint,
  };
}

/** Reads a stored row, in the state that it has after a reload; undefined when it is not valid. */
export function parseStoredRow(stored: unknown): QueueRow | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...stored };
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
  return { ...row, state: stateAfterReload(state, row.fingerprint !== undefined) };
}

function stateAfterReload(state: RowState, hasFingerprint: boolean): RowState {
  if (!hasFingerprint) return 'missing';
  // A row that was being sent is sent again with the same idempotency key.
  return state === 'hashing' || state === 'sending' ? 'waiting' : state;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

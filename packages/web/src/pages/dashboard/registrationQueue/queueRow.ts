// A file in the registration queue.

import {
  type ArtifactStatus,
  type DigitalSourceType,
  digitalSourceTypes,
  type Fingerprint,
  type ImageHashes,
  isFilename,
  isFingerprint,
  isImageHash,
  isMediaType,
} from '@provenance-registry/core';
import { canHoldManifest } from '../../../ui/artifact/signedCopies.js';

const rowStates = [
  /** Waits to be hashed, or to be sent when it has its fingerprint. */
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
  /** The page was left before the file was hashed or uploaded: the user has to choose it again. */
  'missing',
] as const;
export type RowState = (typeof rowStates)[number];

const copyStates = [
  /** Requested for a file that is registered: its content has to be chosen again. */
  'needsFile',
  'creating',
  /** Stored on this device, and not downloaded yet. */
  'ready',
  'downloaded',
] as const;
export type CopyState = (typeof copyStates)[number];

/** What the user chooses for all files that are not registered yet. */
export interface QueueOptions {
  /** Asks for signed copies: files that can hold a manifest are uploaded. */
  readonly wantsCopy: boolean;
  /** Undefined: not specified. */
  readonly digitalSourceType: DigitalSourceType | undefined;
  /** "I made this or may speak for its maker." */
  readonly authorshipStated: boolean;
}

export interface QueueRow extends QueueOptions {
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
  /** Reason of a failed row, as a sentence; for a duplicate the name of its Mark, if that is visible. */
  readonly note: string | undefined;
  /** True if the file is a duplicate because it is a signed copy of the registered one. */
  readonly isSignedCopy: boolean;
  /** The signed copy of the file; undefined when there is none on this device. */
  readonly copy: CopyState | undefined;
  /** About the signed copy, as a sentence: why there is none, or what to do. */
  readonly copyNote: string | undefined;
  /** What is sent with the fingerprint, so that look-alikes are found; undefined until it is computed, and for other files. */
  readonly codes: RowCodes | undefined;
  /** Older files of other Marks that look like this one. */
  readonly similar: readonly SimilarFile[];
  /** The same for every attempt to send the row, so that a lost response does not look like a duplicate. */
  readonly idempotencyKey: string;
}

export type RowCodes = ImageHashes | { readonly chromaprint: string };

export interface SimilarFile {
  readonly fingerprint: Fingerprint;
  readonly markName: string;
  /** ISO 8601. */
  readonly registeredAt: string;
}

/** A row that can be sent. */
export type HashedRow = QueueRow & { readonly fingerprint: Fingerprint };

/** A chosen file, or a fingerprint without a file. */
export type Candidate = Pick<
  QueueRow,
  'filename' | 'folder' | 'size' | 'mediaType' | 'lastModified' | 'fingerprint'
> & {
  readonly file: File | undefined;
};

/** The chain has it, or it is a duplicate. */
function isSettled({ state }: QueueRow): boolean {
  return state === 'submitted' || state === 'yours' || state === 'others';
}

/** Needs no further work, neither of the queue nor of the user. */
export function isFinished(row: QueueRow): boolean {
  return isSettled(row) && (row.copy === undefined || row.copy === 'downloaded');
}

export function isRegistered(row: QueueRow): boolean {
  return isSettled(row) || isAwaitingChain(row);
}

/** Awaits a response of the service to its request. */
export function isBusy({ state, copy }: QueueRow): boolean {
  return state === 'sending' || copy === 'creating';
}

/** Is registered by uploading the file. */
export function needsUpload(row: QueueRow): boolean {
  return row.wantsCopy && canHaveCopy(row);
}

function canHaveCopy(row: QueueRow): boolean {
  return !isWithoutFile(row) && canHoldManifest(row);
}

/** The user can ask for a signed copy of the registered file. */
export function canRequestCopy(row: QueueRow): boolean {
  const isOwn = isRegistered(row) && row.state !== 'others' && !row.isSignedCopy;
  return isOwn && row.copy === undefined && canHaveCopy(row);
}

export function isAwaitingChain({ state }: QueueRow): boolean {
  return state === 'pending' || state === 'submitting';
}

export function rowStateFor(status: ArtifactStatus): RowState {
  return status === 'confirmed' ? 'submitted' : status;
}

/** Only its fingerprint was entered. */
function isWithoutFile({ lastModified, fingerprint }: Pick<QueueRow, 'lastModified' | 'fingerprint'>): boolean {
  return lastModified === undefined && fingerprint !== undefined;
}

/** Equal for the same file chosen twice, and for the same fingerprint without a file. */
export function rowIdentity(row: Omit<Candidate, 'file'>): string {
  if (isWithoutFile(row)) return String(row.fingerprint);
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
  const { id, markId, filename, folder, fingerprint, note, copyNote, idempotencyKey } = fields;
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
    wantsCopy: fields['wantsCopy'] === true,
    digitalSourceType: digitalSourceTypes.find((term) => term === fields['digitalSourceType']),
    authorshipStated: fields['authorshipStated'] === true,
    isSignedCopy: fields['isSignedCopy'] === true,
    copy: copyStates.find((name) => name === fields['copy']),
    copyNote: isText(copyNote) ? copyNote : undefined,
    codes: parseStoredCodes(fields['codes']),
    similar: Array.isArray(fields['similar']) ? fields['similar'].filter(isSimilarFile) : [],
    state,
  };
  return { ...row, state: stateWithoutFile(row) };
}

/** Sent again after a reload as before it, because the idempotency key stays the same. */
function parseStoredCodes(stored: unknown): RowCodes | undefined {
  if (typeof stored !== 'object' || stored === null) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...stored };
  const { pHash, dHash, pHashCenter90, pHashCenter80, chromaprint } = fields;
  if (isText(chromaprint)) return { chromaprint };
  if (!isCode(pHash) || !isCode(dHash)) return undefined;
  return {
    pHash,
    dHash,
    ...(isCode(pHashCenter90) && { pHashCenter90 }),
    ...(isCode(pHashCenter80) && { pHashCenter80 }),
  };
}

function isCode(value: unknown): value is string {
  return isText(value) && isImageHash(value);
}

function isSimilarFile(value: unknown): value is SimilarFile {
  if (typeof value !== 'object' || value === null) return false;
  const { fingerprint, markName, registeredAt }: Partial<Record<keyof SimilarFile, unknown>> = value;
  return isText(fingerprint) && isFingerprint(fingerprint) && isText(markName) && isText(registeredAt);
}

/** The state of a row whose file is not at hand, such as after a reload. */
export function stateWithoutFile(row: QueueRow): RowState {
  if (row.fingerprint === undefined) return 'missing';
  if (!['waiting', 'hashing', 'sending', 'missing'].includes(row.state)) return row.state;
  // A row that was being sent is sent again with the same idempotency key.
  return needsUpload(row) ? 'missing' : 'waiting';
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

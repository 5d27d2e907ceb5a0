// The published files of the log in a bucket of an S3-compatible store that keeps conditions of writes.

import { randomUUID } from 'node:crypto';
import type { CheckpointName, LogFile, LogFiles, StoredCheckpoint } from '../domain/ports/index.js';
import { CHECKPOINT_PATH, LOG_FOLDER, logFileHeaders } from './names.js';
import {
  defaultS3Limits,
  isSuccess,
  openS3Bucket,
  type S3Bucket,
  type S3Location,
  type S3Response,
} from './s3Bucket.js';

const ONLY_IF_NEW = { 'if-none-match': '*' };
/** The condition of a write does not hold. */
const PRECONDITION_FAILED = 412;
/** Files that are written at once: more would only wait for their connections. */
const MAX_PARALLEL_WRITES = 32;

export function openLogS3(
  location: S3Location,
  environment: Readonly<Record<string, string | undefined>>,
  limits: Readonly<typeof defaultS3Limits> = defaultS3Limits,
): LogFiles {
  return new LogS3(openS3Bucket(location, environment, limits));
}

class LogS3 implements LogFiles {
  constructor(private readonly bucket: S3Bucket) {}

  async read(path: string): Promise<Uint8Array | undefined> {
    return (await this.bucket.read(nameOf(path)))?.bytes;
  }

  async writeOnce(files: readonly LogFile[]): Promise<string | undefined> {
    for (let start = 0; start < files.length; start += MAX_PARALLEL_WRITES) {
      const slice = files.slice(start, start + MAX_PARALLEL_WRITES);
      const writes = slice.map((file) => this.#writeFileOnce(file));
      await Promise.allSettled(writes);
      const other = slice[(await Promise.all(writes)).indexOf(false)];
      if (other) return other.path;
    }
    return undefined;
  }

  async replace({ path, bytes }: LogFile): Promise<void> {
    this.bucket.requireSuccess(await this.bucket.put(nameOf(path), bytes, logFileHeaders(path)));
  }

  async readCheckpoint(name: CheckpointName = CHECKPOINT_PATH): Promise<StoredCheckpoint | undefined> {
    const response = await this.bucket.read(nameOf(name));
    if (!response) return undefined;
    return { text: Buffer.from(response.bytes).toString('utf8'), version: response.etag ?? '' };
  }

  async replaceCheckpoint(
    text: string,
    previous: StoredCheckpoint | undefined,
    name: CheckpointName = CHECKPOINT_PATH,
  ): Promise<boolean> {
    const condition = previous ? { 'if-match': previous.version } : ONLY_IF_NEW;
    if (await this.#putIf(name, Buffer.from(text), condition)) return true;
    // An earlier attempt of this very request may have succeeded without a response.
    return (await this.readCheckpoint(name))?.text === text;
  }

  async findFlaw(): Promise<string | undefined> {
    const probe = `probe-${randomUUID()}`;
    const put = (condition: Readonly<Record<string, string>>) =>
      this.bucket.put(nameOf(probe), Buffer.from(probe), { ...logFileHeaders(probe), ...condition });
    try {
      this.bucket.requireSuccess(await put({}));
      if ((await put(ONLY_IF_NEW)).status !== PRECONDITION_FAILED) return 'it replaces files despite If-None-Match';
      if ((await put({ 'if-match': '"another"' })).status !== PRECONDITION_FAILED) return 'it ignores If-Match';
      return undefined;
    } finally {
      await this.bucket.remove(nameOf(probe));
    }
  }

  async #writeFileOnce({ path, bytes }: LogFile): Promise<boolean> {
    if (await this.#putIf(path, bytes, ONLY_IF_NEW)) return true;
    const existing = await this.read(path);
    return existing !== undefined && Buffer.compare(existing, bytes) === 0;
  }

  /** False if the condition does not hold. */
  async #putIf(path: string, bytes: Uint8Array, condition: Readonly<Record<string, string>>): Promise<boolean> {
    const response = await this.bucket.put(nameOf(path), bytes, { ...logFileHeaders(path), ...condition });
    if (isSuccess(response)) return true;
    if (!isUnmet(response)) throw this.bucket.responseError(response);
    return false;
  }
}

/** A checkpoint that is gone is another one than before, too. */
function isUnmet({ status }: S3Response): boolean {
  return status === PRECONDITION_FAILED || status === 404;
}

function nameOf(path: string): string {
  return `${LOG_FOLDER}/${path}`;
}

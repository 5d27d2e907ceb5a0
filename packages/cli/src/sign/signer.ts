// Signs one file after the other: sends it to the service, and saves the signed copy that it returns.

import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import {
  InvalidArgumentError,
  InvalidResponseError,
  type RegistryClient,
  ServiceUnreachableError,
  type SignedFile,
  signFile,
} from '@provenance-registry/client';
import { type DigitalSourceType, type Fingerprint, fingerprintOf } from '@provenance-registry/core';
import { toAbsolutePath } from '../argumentPaths.js';
import type { Context } from '../context.js';
import { CommandError, FileError, UsageError } from '../errors.js';
import type { ReadableInput } from '../inputs/run.js';
import { type OutputFile, reserveOutput } from '../outputFile.js';
import type { SignedFile as SignedFileOutput } from '../outputSchemas/files.js';
import { hashSource } from '../targets.js';
import { toCommandError } from '../toCommandError.js';
import { guessMediaType } from '../walk/mediaTypes.js';
import { type BytePath, baseName, joinPath, toBytePath, toBytes, toText } from '../walk/paths.js';

export interface SignerOptions {
  readonly client: RegistryClient;
  readonly markId: string;
  readonly digitalSourceType: DigitalSourceType | undefined;
  readonly authorshipStated: boolean;
  /** The path of the result; for a single file only. */
  readonly output: string | undefined;
  readonly outputDir: string | undefined;
  readonly force: boolean;
}

type SignResult = Omit<SignedFileOutput, 'file'>;
type FileInput = Extract<ReadableInput, { kind: 'file' }>;

export function createSigner(context: Context, options: SignerOptions) {
  /** Two files of one name in one folder of copies must not both be sent. */
  const reservedPaths = new Set<BytePath>();

  async function sign(input: ReadableInput, onBytes: (bytes: number) => void): Promise<SignResult> {
    if (context.signal.aborted) throw new CommandError('INTERRUPTED', 3, `${input.name}: not signed.`);
    const file = requireImage(input);
    const { path, name } = chooseOutput(context.cwd, file, options);
    await requireOtherFile(file, path, name);
    if (reservedPaths.has(path)) {
      throw new CommandError('FILE_EXISTS', 2, `${file.name}: another file is signed as ${name} already.`);
    }
    reservedPaths.add(path);
    const reserved = await reserveOutput(path, name, options.force);
    try {
      const { fingerprint } = await hashSource(context, file, onBytes);
      const signed = await requestCopy(file, fingerprint, options);
      await saveCopy(reserved, signed, file);
      const { image, isNew, mediaType, manifestUrl } = signed;
      return {
        output: name,
        outcome: isNew ? 'registered' : 'copied',
        fingerprint,
        signedFingerprint: fingerprintOf(createHash('sha256').update(image).digest()),
        mediaType,
        size: image.length,
        ...(manifestUrl !== undefined && { manifestUrl }),
      };
    } catch (error) {
      await reserved.discard();
      throw error;
    }
  }

  return { sign };
}

/** What certainly is no image is not sent: the service would register it. */
function requireImage(input: ReadableInput): FileInput {
  if (input.kind !== 'file' || input.size === undefined) {
    throw new CommandError('FILE_PROBLEM', 3, `${input.name}: not a regular file.`);
  }
  const mediaType = guessMediaType(input.name);
  if (mediaType === undefined || mediaType.startsWith('image/')) return input;
  throw new CommandError('UNSUPPORTED_MEDIA_TYPE', 1, `${input.name}: only images can be signed.`);
}

interface OutputPath {
  readonly path: BytePath;
  /** The name shown to users. */
  readonly name: string;
}

function chooseOutput(cwd: string, { path, name }: FileInput, { output, outputDir }: SignerOptions): OutputPath {
  if (output !== undefined) return { path: toBytePath(toAbsolutePath(cwd, output)), name: output };
  const original = typeof path === 'string' ? toBytePath(path) : path.toString('latin1');
  if (outputDir === undefined) return { path: nameSignedCopy(original), name: nameSignedCopy(name) };
  const copy = baseName(nameSignedCopy(original));
  return {
    path: joinPath(toBytePath(toAbsolutePath(cwd, outputDir)), copy),
    name: toText(joinPath(toBytePath(outputDir), copy)),
  };
}

/** `photos/a.jpg` is signed as `photos/a.signed.jpg`. */
function nameSignedCopy(path: string): string {
  const [, folder = '', stem = '', extension = ''] = /^(.*\/)?(.+?)(\.[^.]*)?$/s.exec(path) ?? [];
  return `${folder}${stem}.signed${extension}`;
}

/** Not even with `--force`: the original is what is registered. */
async function requireOtherFile(file: FileInput, output: BytePath, name: string): Promise<void> {
  const [original, existing] = await Promise.all(
    [file.path, toBytes(output)].map((path) => stat(path, { bigint: true }).catch(() => undefined)),
  );
  const isSame = original && existing && original.ino === existing.ino && original.dev === existing.dev;
  if (isSame) throw new UsageError(`${name} is the original: name another file for the signed copy.`);
}

async function requestCopy(
  file: FileInput,
  fingerprint: Fingerprint,
  { client, markId, digitalSourceType, authorshipStated }: SignerOptions,
): Promise<SignedFile> {
  let isSent = false;
  const send = <A extends unknown[], R>(call: (...args: A) => R) => {
    return (...args: A): R => {
      isSent = true;
      return call(...args);
    };
  };
  const sender = {
    getArtifact: client.getArtifact,
    signImage: send(client.signImage),
    createSignedCopy: send(client.createSignedCopy),
  };
  try {
    const description = await describeFile(file);
    const stated = { digitalSourceType, ...(authorshipStated && { authorshipStated }) };
    return await signFile(sender, { markId, fingerprint, ...description, ...stated });
  } catch (error) {
    throw await toFileError(error, file, isSent);
  }
}

async function describeFile({ path, name }: FileInput) {
  try {
    const filename = (typeof path === 'string' ? path : path.toString()).replace(/^.*\//s, '');
    const mediaType = guessMediaType(name);
    const file = await openAsBlob(path, mediaType === undefined ? {} : { type: mediaType });
    const { mtimeMs } = await stat(path);
    return {
      file,
      filename: filename.replaceAll(/\p{Cc}/gu, '\uFFFD'),
      mediaType,
      // The service accepts no time before 1970.
      lastModified: mtimeMs < 0 ? undefined : new Date(mtimeMs).toISOString(),
    };
  } catch (error) {
    throw new FileError(name, error);
  }
}

const LOST_COPY =
  "If the service received the file, the copy that it made counts as one of the three that a file can have: 'provenance file status' shows how many there are.";

async function toFileError(error: unknown, { name }: FileInput, isSent: boolean): Promise<CommandError> {
  if (error instanceof FileError) return error;
  if (error instanceof InvalidArgumentError) return new CommandError('ALREADY_SIGNED', 1, `${name}: ${error.message}`);
  const { code, exitCode, message } = await toCommandError(error);
  const isLost = isSent && (error instanceof ServiceUnreachableError || error instanceof InvalidResponseError);
  return new CommandError(code, exitCode, `${name}: ${message}${isLost ? ` ${LOST_COPY}` : ''}`, { cause: error });
}

async function saveCopy(reserved: OutputFile, { image }: SignedFile, { name }: FileInput): Promise<void> {
  try {
    await reserved.save(image);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const message = `${error.message} The service made the signed copy of ${name}: it counts as one of three.`;
    throw new CommandError(error.code, error.exitCode, message, { cause: error });
  }
}

// `register_file`: registers one file by the code of `provenance register`. Only listed if the user allows it and has a token.

import type { FileHandle } from 'node:fs/promises';
import type { RegistryClient } from '@provenance-registry/client';
import type { Mark } from '@provenance-registry/core';
import Type from 'typebox';
import { z } from 'zod';
import { requireLogin } from '../connect.js';
import { CommandError } from '../errors.js';
import { chooseMarkId } from '../names.js';
import { RegisteredFile } from '../outputSchemas/files.js';
import { computePerceptualHashes } from '../perceptualHashes/computePerceptualHashes.js';
import { createRegistrar } from '../register/fileRegistrar.js';
import { createMemoryJournal, type RegistrationCodes } from '../register/journal.js';
import { type FileResult, RunStats } from '../register/stats.js';
import { INTERRUPTED, StopController } from '../register/stopController.js';
import { toBytePath } from '../walk/paths.js';
import type { AllowedFile } from './allowedFolders.js';
import { connectToRegistry, defineTool, filePath, RegistryInfo, type Tool, type ToolCall } from './tool.js';

/** `defaultMark` is used unless the agent names another Mark. */
export function createRegisterTool(defaultMark: string | undefined): Tool {
  return defineTool({
    name: 'register_file',
    title: 'Register a file',
    description:
      "Registers a file under one of the user's Marks, for good: the fingerprint, the file name and under a public Mark " +
      'codes for finding look-alikes become public, and cannot be removed. Ask the user before each call. The file is not ' +
      'sent. It is recorded that the authorship is not stated: only the user can state that, with the command. If the file ' +
      'is registered already, nothing changes, and the outcome tells whose it is.',
    input: z.object({
      path: filePath.describe('A file in the allowed folders; relative paths start at the first one.'),
      markId: z.uuid().optional().describe('The Mark to register under; if absent, the one that the user has set.'),
    }),
    output: RegistrationResult,
    isReadOnly: false,
    async run({ path, markId: named }, call) {
      const file = await call.files.open(path);
      await requireLogin(call.context);
      const { client, registry } = await connectToRegistry(call.context);
      const marks = await client.listMarks();
      const given = named ?? defaultMark ?? (await call.context.loadSettings()).mark?.value;
      const markId = await chooseMarkId(marks, given);
      const { path: _, ...result } = await registerFile(file, { client, marks, markId }, call);
      return { summary: summarize(result), result: { file: file.name, ...result, registry } };
    },
  });
}

const { path: file, ...registeredFields } = RegisteredFile.properties;
const RegistrationResult = Type.Object({ file, ...registeredFields, registry: RegistryInfo });

interface Destination {
  readonly client: RegistryClient;
  readonly marks: readonly Mark[];
  readonly markId: string;
}

/** Rejects with CommandError if the file is not registered afterwards. */
async function registerFile(
  { name, path, size, identity }: AllowedFile,
  { client, marks, markId }: Destination,
  { context: { signal }, showProgress }: ToolCall,
): Promise<FileResult> {
  const stopController = new StopController();
  const stop = () => stopController.stop(INTERRUPTED);
  signal.addEventListener('abort', stop, { once: true });
  const stats = new RunStats(
    () => true,
    () => showProgress(stats.bytes, size),
  );
  const registrar = createRegistrar({
    client,
    concurrency: 1,
    // The client repeats requests itself, a few times: an agent does not wait for the end of an outage.
    withOutageRetry: (request) => request(),
    stopController,
    markId,
    authorshipStated: false,
    marks,
    stats,
    journal: createMemoryJournal({ readsOwnWrites: false }),
    computeCodes: isPublic(marks, markId) ? (handle) => readCodes(handle, stopController.signal) : undefined,
  });
  // Opened again, and refused if it is another file by then.
  await registrar.add({ kind: 'file', path: toBytePath(path), displayPath: name, identity });
  await registrar.drain();
  signal.removeEventListener('abort', stop);
  return requireResult(name, stats, stopController);
}

function isPublic(marks: readonly Mark[], markId: string): boolean {
  return marks.some(({ id, visibility }) => id === markId && visibility === 'public');
}

async function readCodes(handle: FileHandle, signal: AbortSignal): Promise<RegistrationCodes> {
  const { hashes, chromaprint } = await computePerceptualHashes(handle, { signal });
  return { ...hashes, ...(chromaprint !== undefined && { chromaprint }) };
}

function requireResult(name: string, { retained: [result] }: RunStats, { reason }: StopController): FileResult {
  if (reason) throw new CommandError(reason.code, reason.exitCode, reason.message);
  if (result && ['registered', 'yours', 'others'].includes(result.outcome)) return result;
  const isRefused = result?.outcome === 'refused';
  const message = `${name}: ${result?.reason ?? 'not registered'}`;
  throw new CommandError(isRefused ? 'REFUSED' : 'NOT_REGISTERED', isRefused ? 1 : 3, message);
}

function summarize({ outcome, mark, similarTo = [] }: Pick<FileResult, 'outcome' | 'mark' | 'similarTo'>): string {
  const lookalikes = similarTo.length > 0 ? ' It looks like older files of other Marks, which is a hint.' : '';
  if (outcome === 'registered') return `Registered. It is confirmed on chain later: see read_artifact.${lookalikes}`;
  if (outcome === 'others') return 'Not registered: it is registered under the Mark of another user already.';
  return `Registered before, under ${mark === undefined ? 'the same' : "another of the user's"} Mark. Nothing changed.`;
}

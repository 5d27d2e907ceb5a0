// What a tool is, and what its call gets to work with.

import type { RegistryClient } from '@provenance-registry/client';
import type { Fingerprint } from '@provenance-registry/core';
import type { TObject } from 'typebox';
import Type from 'typebox';
import { z } from 'zod';
import { connectUnchecked } from '../connect.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { Flag, Text } from '../outputSchemas/common.js';
import { hashSource, parseFingerprint } from '../targets.js';
import { readPin } from '../trust/loadTrust.js';
import { requireSameRegistry } from '../trust/registryCheck.js';
import type { AllowedFile, AllowedFolders } from './allowedFolders.js';

export interface ToolCall {
  /** Its signal is also aborted when the client cancels the call. */
  readonly context: Context;
  readonly files: AllowedFolders;
  /** Reports bytes of a file that are read; throttled. */
  showProgress(bytes: number, total: number): void;
}

export interface ToolResult {
  /** Summary in words of this program alone. */
  readonly summary: string;
  readonly result: object;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly output: TObject;
  readonly isReadOnly: boolean;
  run(input: unknown, call: ToolCall): Promise<ToolResult>;
}

interface TypedTool<Input extends z.ZodType> extends Tool {
  readonly input: Input;
  run(input: z.infer<Input>, call: ToolCall): Promise<ToolResult>;
}

/** Types the input that `run` receives. It is validated here, so that a wrong one has the form of all errors. */
export function defineTool<Input extends z.ZodType>(tool: TypedTool<Input>): Tool {
  return {
    ...tool,
    run(input, call) {
      const parsed = tool.input.safeParse(input ?? {});
      if (!parsed.success) throw new UsageError(z.prettifyError(parsed.error));
      return tool.run(parsed.data, call);
    },
  };
}

/** Linux allows 4,096 bytes. */
const MAX_PATH_CHARACTERS = 4_096;

export const filePath = z.string().min(1).max(MAX_PATH_CHARACTERS);
const fingerprintText = z.string().regex(/^(0x)?[0-9a-fA-F]{64}$/);

/** A file or a fingerprint. */
export const targetInput = z.object({
  path: filePath.optional().describe('A file in the allowed folders; relative paths start at the first one.'),
  fingerprint: fingerprintText
    .optional()
    .describe('SHA-256 of the exact bytes of a file, 64 hexadecimal digits. Give either this or a path.'),
});

export type Target =
  | { readonly file: AllowedFile; readonly fingerprint?: undefined }
  | { readonly file?: undefined; readonly fingerprint: Fingerprint };

export async function openTarget({ path, fingerprint }: z.infer<typeof targetInput>, call: ToolCall): Promise<Target> {
  const parsed = fingerprint === undefined ? undefined : parseFingerprint(fingerprint);
  if (path !== undefined && !parsed) return { file: await call.files.open(path) };
  if (path === undefined && parsed) return { fingerprint: parsed };
  throw new UsageError('Give either path or fingerprint.');
}

export async function hashTarget(target: Target, call: ToolCall): Promise<Fingerprint> {
  if (!target.file) return target.fingerprint;
  const { size } = target.file;
  return (await hashSource(call.context, target.file, (bytes) => call.showProgress(bytes, size))).fingerprint;
}

export const RegistryInfo = Type.Object(
  {
    url: Text('Of the service that was asked.'),
    isPinned: Flag('Whether the user has compared and pinned this registry.'),
    note: Type.Optional(Text('Such as that the registry was not known before, and is remembered from now on.')),
  },
  { title: 'RegistryInfo' },
);

/** Sends nothing but the request for its identity to a registry that is not the one that the user knows. */
export async function connectToRegistry(context: Context): Promise<{
  readonly client: RegistryClient;
  readonly registry: { readonly url: string; readonly isPinned: boolean; readonly note?: string };
}> {
  const client = await connectUnchecked(context);
  const note = await requireSameRegistry(context, client.baseUrl);
  const pin = await readPin(context);
  const registry = { url: client.baseUrl, isPinned: pin !== undefined, ...(note !== undefined && { note }) };
  return { client, registry };
}

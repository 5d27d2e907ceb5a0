// `read_artifact` and `list_lookalikes`: what the registry has about one file, and what resembles it.

import { ApiError, explanations, type LookalikeSearch, type RegistryClient } from '@provenance-registry/client';
import {
  Artifact,
  type Artifact as ArtifactRecord,
  type Fingerprint,
  LARGEST_MAX_DISTANCE,
  MAX_LOOKALIKES,
} from '@provenance-registry/core';
import Type from 'typebox';
import { z } from 'zod';
import type { Context } from '../context.js';
import { CommandError } from '../errors.js';
import { findLookalikes, type SearchOptions } from '../lookalikes/finder.js';
import { Fingerprint as FingerprintField } from '../outputSchemas/common.js';
import { lookalikeFields } from '../outputSchemas/lookalikes.js';
import { connectToRegistry, defineTool, hashTarget, openTarget, RegistryInfo, targetInput } from './tool.js';

export const readArtifactTool = defineTool({
  name: 'read_artifact',
  title: 'Read an Artifact',
  description:
    'Reads the record of a registered file: Mark, status on chain, metadata, verified domains, claims of others, signed ' +
    'copies. The fingerprint is sent to the service. It is the word of the service: use verify to check it.',
  input: targetInput,
  output: Type.Object({ artifact: Artifact, registry: RegistryInfo }),
  isReadOnly: true,
  async run(input, call) {
    const target = await openTarget(input, call);
    const { client, registry } = await connectToRegistry(call.context);
    const artifact = await readArtifact(call.context, client, await hashTarget(target, call));
    return { summary: statusTexts[artifact.status], result: { artifact, registry } };
  },
});

const statusTexts: Readonly<Record<ArtifactRecord['status'], string>> = {
  pending: 'Registered, and not on chain yet, according to the service.',
  submitting: 'Registered, and on its way to the chain, according to the service.',
  submitted: 'Registered and confirmed on chain, according to the service.',
  confirmed: 'Registered and confirmed on chain, according to the service.',
  failed: 'Not registered: the registration failed.',
};

/** Reads the Artifact; without a token, as it is shown to everyone. */
async function readArtifact(
  context: Context,
  client: RegistryClient,
  fingerprint: Fingerprint,
): Promise<ArtifactRecord> {
  const { token } = await context.loadSettings();
  return token ? client.getArtifact({ fingerprint }) : client.getPublicArtifact({ fingerprint });
}

export const lookalikesTool = defineTool({
  name: 'list_lookalikes',
  title: 'List look-alikes',
  description:
    'Lists registered images and recordings that look or sound like a file, or like the Artifact with a fingerprint: ' +
    're-encoded, resized, mirrored, turned or cropped copies. Codes are computed on this machine, and only they are sent. ' +
    'A look-alike is a hint, never a proof that it is the same work.',
  input: z.object({
    ...targetInput.shape,
    maxDistance: z
      .int()
      .min(0)
      .max(LARGEST_MAX_DISTANCE)
      .optional()
      .describe('Bits of 64 that may differ; 8 if absent.'),
    limit: z.int().min(1).max(MAX_LOOKALIKES).optional().describe('Most look-alikes to list; 10 if absent.'),
  }),
  output: Type.Object({ fingerprint: FingerprintField, ...lookalikeFields, registry: RegistryInfo }),
  isReadOnly: true,
  async run({ maxDistance, limit, ...input }, call) {
    const target = await openTarget(input, call);
    const { client, registry } = await connectToRegistry(call.context);
    const fingerprint = await hashTarget(target, call);
    const options = { maxDistance, limit };
    const result = target.file
      ? await findLookalikes(client, { name: target.file.name, content: target.file, fingerprint }, options)
      : await findOfArtifact(call.context, client, fingerprint, options);
    return { summary: summarize(result), result: { fingerprint, ...result, registry } };
  },
});

/** Searches with the perceptual hashes in its record. */
async function findOfArtifact(
  context: Context,
  client: RegistryClient,
  fingerprint: Fingerprint,
  options: SearchOptions,
): Promise<LookalikeSearch> {
  const { pHash, dHash, chromaprint } = (await readArtifact(context, client, fingerprint).catch(explainNotFound))
    .metadata;
  if (pHash === undefined && chromaprint === undefined)
    return { sent: 'nothing', lookalikes: [], missing: 'featureless' };
  const codes = pHash === undefined ? undefined : [{ pHash, ...(dHash !== undefined && { dHash }) }];
  const { lookalikes } = await client.findLookalikes({ codes, chromaprint, ...options });
  return {
    sent: 'perceptualHashes',
    lookalikes: lookalikes.map((found) => ({ ...found, isSameFile: found.fingerprint === fingerprint })),
  };
}

function explainNotFound(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
  const message = `${error.message} Name the file instead: codes are computed from it.`;
  throw new CommandError(error.code, 1, message, { cause: error });
}

function summarize({ lookalikes, missing }: LookalikeSearch): string {
  if (missing !== undefined) return `Not searched: ${explanations.missingHashes[missing]}.`;
  const others = lookalikes.filter(({ isSameFile }) => !isSameFile).length;
  const itself = others < lookalikes.length ? ' This very file is registered, too.' : '';
  if (others === 0) return `No look-alikes found.${itself}`;
  return `Looks like ${others === 1 ? 'a registered file' : `${others} registered files`}.${itself} ${explanations.lookalikeHint}`;
}

// `resolve`: looks up the manifests registered for a fingerprint.

import type { RegistryClient } from '@provenance-registry/client';
import type { Fingerprint, Match } from '@provenance-registry/core';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import type { Context } from '../context.js';
import { readTarget, targetArgument } from '../targets.js';
import { formatFields, joinLines, text } from '../text.js';

export const resolveCommand = defineCommand({
  name: 'resolve',
  summary: 'look up the manifests of a file',
  description:
    'Looks up which manifests the service and the on-chain registries have for a file or fingerprint. The file is not ' +
    'sent, and of its fingerprint only the first digits, unless the file is in a registry on chain. The ' +
    "response is not checked; use 'verify' for that. Exit code 1: nothing found.",
  arguments: { target: targetArgument },
  options: { direct: { kind: 'flag', summary: 'send the fingerprint, so that the service can also ask a node' } },
  examples: {
    'provenance resolve photo.jpg': 'Look up a file',
    'provenance resolve "$FINGERPRINT"': 'Look up a fingerprint',
    'provenance resolve --json photo.jpg': 'As JSON',
  },
  async run(context, { target, direct = false }) {
    const { fingerprint } = await readTarget(context, target);
    const client = await connect(context);
    const matches = direct ? await findDirectly(client, fingerprint) : await findByPrefix(context, client, fingerprint);
    const blocks = matches.map((match) =>
      formatFields([
        ['Manifest', match.manifestId],
        ['Served by', match.endpoint],
        ['Registry', match.source],
        ['Registered by', match.registeredBy],
      ]),
    );
    const isFound = blocks.length > 0;
    const blocksWithGaps = blocks.flatMap((block, index) => (index === 0 ? [block] : ['', block]));
    const forHumans = isFound ? joinLines(blocksWithGaps) : text`No manifest is registered for ${fingerprint}.`;
    context.printResult({ fingerprint, matches }, forHumans);
    return isFound ? 0 : 1;
  },
});

async function findDirectly(client: RegistryClient, fingerprint: Fingerprint): Promise<Match[]> {
  const { SOFT_BINDING_ALGORITHM, softBindingValue } = await import('@provenance-registry/core');
  const value = softBindingValue(fingerprint);
  const { matches } = await client.findByBinding({ alg: SOFT_BINDING_ALGORITHM, value });
  return matches;
}

async function findByPrefix(context: Context, client: RegistryClient, fingerprint: Fingerprint): Promise<Match[]> {
  const { findPrivately } = await import('@provenance-registry/client');
  const { entry, isChainKnown } = await findPrivately(client, fingerprint);
  if (!entry && !isChainKnown) {
    context.warn('The service has not read the latest blocks of the chain, which may have an entry: try --direct.');
  }
  // The list does not tell which services have the manifest of an entry on chain.
  if (entry?.source !== undefined) return findDirectly(client, fingerprint);
  return entry ? [{ manifestId: entry.manifestId, endpoint: `${client.baseUrl}/api/c2pa`, similarityScore: 100 }] : [];
}

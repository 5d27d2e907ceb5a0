// `lookup`: looks up what the registry has for a fingerprint.

import type { Lookup } from '@provenance-registry/client';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import { readTarget, targetArgument } from '../targets.js';
import { formatFields, text } from '../text.js';

export const lookupCommand = defineCommand({
  name: 'lookup',
  summary: 'look up the manifest of a file',
  description:
    'Looks up which manifest the service and the on-chain registries have for a file or fingerprint. The file is not ' +
    'sent, and of its fingerprint only the first digits, unless the file is in a registry on chain. The ' +
    "response is not checked; use 'verify' for that. Exit code 1: nothing found.",
  arguments: { target: targetArgument },
  options: {
    direct: {
      kind: 'flag',
      summary: 'send the fingerprint, so that the service can also ask a node, and show Mark, time and license',
    },
  },
  examples: {
    'provenance lookup photo.jpg': 'Look up a file',
    'provenance lookup "$FINGERPRINT"': 'Look up a fingerprint',
    'provenance lookup --json photo.jpg': 'As JSON',
  },
  async run(context, { target, direct }) {
    const { fingerprint } = await readTarget(context, target);
    const client = await connect(context);
    const privacy = direct ? ({ lookupBy: 'fingerprint' } as const) : ({ detailsOf: ['chain'] } as const);
    const { lookUp } = await import('@provenance-registry/client');
    const found = await lookUp(client, fingerprint, privacy);
    if (found.isChainKnown === false) {
      context.warn('The service has not read the latest blocks of the chain, which may have an entry: try --direct.');
    }
    context.printResult(found, formatLookup(found, client));
    return found.match === 'none' ? 1 : 0;
  },
});

function formatLookup(found: Lookup, { baseUrl }: { readonly baseUrl: string }) {
  const { match, fingerprint, endpoints = [`${baseUrl}/api/c2pa`] } = found;
  if (match === 'none') return text`No manifest is registered for ${fingerprint}.`;
  return formatFields([
    ['Manifest', found.manifestId],
    ['Served by', endpoints.join(' ')],
    ['Registry', found.source],
    ['Registered by', found.registeredBy],
    ['Mark', found.mark?.name],
    ['Registered', found.registeredAt],
    ['License', found.license?.name],
    ['Signed copy of', found.signedCopyOf],
  ]);
}

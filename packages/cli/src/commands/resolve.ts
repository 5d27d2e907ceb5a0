// `resolve`: looks up the manifests registered for a fingerprint.

import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import { readTarget, targetArgument } from '../targets.js';
import { formatFields, joinLines, text } from '../text.js';

export const resolveCommand = defineCommand({
  name: 'resolve',
  summary: 'look up the manifests of a file',
  description:
    'Looks up which manifests the service and the on-chain registries have for a file or fingerprint. The file is not ' +
    "sent. The response is not checked; use 'verify' for that. Exit code 1: nothing found.",
  arguments: { target: targetArgument },
  examples: {
    'provenance resolve photo.jpg': 'Look up a file',
    'provenance resolve "$FINGERPRINT"': 'Look up a fingerprint',
    'provenance resolve --json photo.jpg': 'As JSON',
  },
  async run(context, { target }) {
    const { fingerprint } = await readTarget(context, target);
    const client = await connect(context);
    const { SOFT_BINDING_ALGORITHM, softBindingValue } = await import('@provenance-registry/core');
    const { matches } = await client.findByBinding({
      alg: SOFT_BINDING_ALGORITHM,
      value: softBindingValue(fingerprint),
    });
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

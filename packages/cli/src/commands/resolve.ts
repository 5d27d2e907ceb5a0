// `resolve`: looks up the manifests registered for a fingerprint.

import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import { readTarget, targetArgument } from '../targets.js';
import { formatFields, joinLines, type Piece, type Text, text } from '../text.js';

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
    const blocks = matches.map(({ manifestId, endpoint, source, registeredBy }) =>
      formatFields([
        ['Manifest', manifestId],
        ['Served by', endpoint],
        ['Registry', source],
        ['Registered by', registeredBy],
      ]),
    );
    const forHumans =
      blocks.length === 0 ? text`No manifest is registered for ${fingerprint}.` : joinLines(separateBlocks(blocks));
    context.printResult({ fingerprint, matches }, forHumans);
    return matches.length === 0 ? 1 : 0;
  },
});

/** Adds an empty line between blocks. */
function separateBlocks(blocks: readonly Text[]): Piece[] {
  return blocks.flatMap((block, index) => (index === 0 ? [block] : ['', block]));
}

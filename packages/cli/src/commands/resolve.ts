// `resolve`: who has registered a fingerprint, as the service and the registries on chain say.

import { command } from '../command.js';
import { connect } from '../connect.js';
import { readTarget } from '../targets.js';
import { fields, lines, text } from '../text.js';

export const resolveCommand = command({
  name: 'resolve',
  summary: 'look a fingerprint up',
  description:
    'Asks the service which manifests are registered for a fingerprint or a file, in its own records and on chain. The ' +
    'file is not sent. Believes the answer; verify checks it. Exit code 1: nothing was found.',
  arguments: {
    what: { label: 'FINGERPRINT|FILE', summary: 'a fingerprint, or a file; - is standard input', completion: 'files' },
  },
  examples: [
    { run: 'provenance resolve photo.jpg', meaning: 'Who has registered this file?' },
    { run: 'provenance resolve "$FINGERPRINT"', meaning: 'The same for a fingerprint' },
    { run: 'provenance resolve --json photo.jpg', meaning: 'For programs' },
  ],
  async run(context, { what }) {
    const { fingerprint } = await readTarget(context, what);
    const client = await connect(context);
    const { SOFT_BINDING_ALGORITHM, softBindingValue } = await import('@provenance-registry/core');
    const { matches } = await client.findByBinding({
      alg: SOFT_BINDING_ALGORITHM,
      value: softBindingValue(fingerprint),
    });
    const found = matches.map(({ manifestId, endpoint, source, registeredBy }) =>
      fields([
        ['Manifest', manifestId],
        ['Served by', endpoint],
        ['Registry', source],
        ['Registered by', registeredBy],
      ]),
    );
    const forPeople =
      found.length === 0 ? text`Nothing is registered for ${fingerprint}.` : lines(found.flatMap(apart));
    context.result({ fingerprint, matches }, forPeople);
    return found.length === 0 ? 1 : 0;
  },
});

/** An empty line between one and the next. */
function apart<T>(one: T, index: number): (T | string)[] {
  return index === 0 ? [one] : ['', one];
}

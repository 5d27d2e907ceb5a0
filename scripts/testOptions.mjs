// The options of `npm test` and `npm run test:all`.

import { parseArgs } from 'node:util';

/** Random choices of the tests follow from it, so that every run makes the same ones; another one explores. */
const DEFAULT_SEED = 20_261_118;

/** What follows `--`, and options that are not declared here, go to the test runner. @param {string[]} args */
export function parseOptions(args) {
  const { values, tokens } = parseArgs({
    args,
    options: {
      all: { type: 'boolean', default: false },
      complete: { type: 'boolean', default: false },
      cost: { type: 'boolean', default: false },
      seed: { type: 'string', default: String(DEFAULT_SEED) },
    },
    strict: false,
    tokens: true,
  });
  const own = ['all', 'complete', 'cost', 'seed'];
  const filters = tokens.flatMap((token) => {
    if (token.kind === 'positional') return [token.value];
    if (token.kind === 'option-terminator' || own.includes(token.name)) return [];
    return [token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`];
  });
  const seed = Number(values.seed);
  if (!/^\d{1,15}$/.test(String(values.seed))) throw new Error(`--seed is not a whole number: ${values.seed}`);
  return {
    isAll: values.all === true,
    isComplete: values.complete === true,
    showsCosts: values.cost === true,
    seed,
    filters,
  };
}

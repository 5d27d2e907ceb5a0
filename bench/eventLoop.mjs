// For how long each operation of the API holds the event loop of the service, at most, with its dearest input.

import { dearestInputs } from './dearestInputs.mjs';
import { withFilledService } from './filledService.mjs';
import { printTable, selectOperations, sendRequest } from './operations.mjs';
import { report } from './report.mjs';
import { median } from './support.mjs';

/** The median of their longest holds: what other programs on the machine cause does not repeat. */
const ROUNDS = 5;
const MAX_MS = 20;

/** @type {[id: string, hold: number, status: string][]} */
const holds = [];
await withFilledService(async (service) => {
  for (const id of selectOperations(Object.keys(dearestInputs))) {
    const values = [];
    const statuses = new Set();
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = dearestInputs[id]?.(service.fixture);
      if (!request) throw new Error(`no input for ${id}`);
      const hold = await service.measureHold(async () => {
        const { status, error } = await sendRequest(service.url, request).catch((failure) => ({
          status: '',
          error: failure,
        }));
        statuses.add(`${status} ${error}`.trim());
      });
      values.push(hold);
    }
    holds.push([id, median(values), [...statuses].join(', ')]);
    console.error(`${id}: ${values.map((value) => value.toFixed(1)).join(' ')} ms, ${[...statuses].join(', ')}`);
  }
});

holds.sort(([, one], [, other]) => other - one);
printTable(
  ['Operation', 'Longest hold', 'Status'],
  holds.map(([id, hold, status]) => [id, `${hold.toFixed(1)} ms`, status]),
);
const longest = holds[0]?.[1] ?? 0;
report({
  what: `longest hold of the event loop by ${holds.length} operations, ms`,
  measured: `${longest.toFixed(1)} ms (${holds[0]?.[0]})`,
  value: longest,
  target: ['at most', MAX_MS],
});

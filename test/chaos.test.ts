// The torture in short: people at work while the processes of the service are killed twenty times, their database and
// their node as often, lines are cut, the chain is reorganised and the disk is full. `npm run torture` does it for longer.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('../chaos/index.mjs', import.meta.url));
/** A minute and a half is enough on a machine with nothing else to do: most of it is the time until a draft is old. */
const TIME_LIMIT_MS = 600_000;

interface Outcome {
  readonly code: number | string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

function torture(args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, '--json', ...args], { timeout: TIME_LIMIT_MS }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr }),
    );
  });
}

it.concurrent.each([
  { layout: 'one', kinds: ['service', 'database'], kills: 8 },
  { layout: 'two', kinds: ['api', 'worker', 'database', 'chain node'], kills: 6 },
])(
  'layout $layout loses, doubles and leaves nothing, whatever is killed, cut off, full or turned back',
  async ({ layout, kinds, kills }) => {
    const args = [
      '--layout',
      layout,
      '--minutes',
      '0.3',
      '--people',
      '4',
      '--kills',
      String(kills),
      '--seed',
      '20261115',
    ];
    const { code, stdout, stderr } = await torture(args);
    expect(stdout, stderr).not.toBe('');
    const [result] = JSON.parse(stdout);
    console.log(result);
    expect(result).toMatchObject({ lost: 0, doubled: 0, stuck: 0, strange: 0, troubles: [], audit: 'clean' });
    for (const kind of kinds) expect(result.faults[`kill ${kind}`]).toBeGreaterThanOrEqual(kills);
    expect(result.faults['fill the disk']).toBeGreaterThan(0);
    expect(result.creations).toBeGreaterThan(0);
    expect(code).toBe(0);
  },
  TIME_LIMIT_MS,
);

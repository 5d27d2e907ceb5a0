// `provenance file filter` reads the downloads of a real service, and refuses lies about them.

import { describe, expect, it } from 'vitest';
import { describeFilterClient, downloads } from './support/filterClient.js';
import { Machine } from './support/machine.js';

describeFilterClient('the command', (folder, args, input) =>
  downloads.machine.run(['file', 'filter', '--folder', folder, '--trust-anchors', 'roots.pem', ...args], input),
);

describe('the command', () => {
  it('relies on a pin, and on nothing else that the service says', async () => {
    const { url, registered, unknown } = downloads;
    const [user, other] = [
      await Machine.create({ PROVENANCE_URL: url }),
      await Machine.create({ PROVENANCE_URL: url }),
    ];
    expect((await user.json(['file', 'filter', '--update'])).result).toMatchObject({ code: 'NO_TRUST' });
    const { fingerprint } =
      JSON.parse((await other.run(['config', 'trust', 'add', url, '--expect', '0'.repeat(24), '--json'])).stdout) ?? {};
    expect(fingerprint).toBeUndefined();
    const shown = (await other.run(['config', 'trust', 'add', url, '--expect', '0'.repeat(24)])).stderr;
    const [, short = ''] = /is ((?:[0-9a-f]{4} ?){6})/.exec(shown) ?? [];
    expect(await user.run(['config', 'trust', 'add', url, '--expect', short])).toMatchObject({ code: 0 });
    expect((await user.json(['file', 'filter', '--update', '--exact'])).result).toMatchObject({
      registry: url,
      isOutOfDate: false,
      files: 2,
    });
    expect((await user.json(['file', 'filter'], `${registered}\n${unknown}\nx\n`)).result).toEqual([
      { fingerprint: registered, answer: 'maybe' },
      { fingerprint: unknown, answer: 'no' },
      { line: 3, error: 'Line 3 is not a fingerprint.', code: 'BAD_REQUEST' },
    ]);
    const lines = (await user.run(['file', 'filter', '--exact', '--json-lines'], `${registered}\n${unknown}\n`)).stdout
      .trim()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { answer: 'registered', aiPreferences: { ai_training: { use: 'notAllowed' } } },
      { answer: 'no' },
    ]);
    // Signed under the pinned root, but for another contract.
    expect((await user.run(['file', 'filter', '--update', '--contract', `0x${'11'.repeat(20)}`])).code).toBe(1);
  });
});

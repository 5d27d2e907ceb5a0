// The workers of media inspection: jobs that hang, crash or flood, and the files after them.

import { describe, expect, it } from 'vitest';
import { createMedia } from '../../src/media/index.js';

describe('the worker pool', () => {
  const worker = new URL('../support/misbehavingWorker.mjs', import.meta.url);
  const none = { kind: 'image', mediaType: 'image/gif' };
  const some = { ...none, codes: { pHash: '0x0123456789abcdef', dHash: '0x0123456789abcdef' } };
  /** A GIF by its first bytes, with a command for the misbehaving worker. */
  const told = (word: string) => Buffer.from(`GIF89a ${word}`);

  it('ends a hanging job at its time limit and runs the queued ones', async () => {
    // Long enough to start a worker on a busy machine.
    const limited = createMedia({ worker, jobTimeoutMs: 3_000 });
    const jobs = ['spin', 'spin', 'fine', 'fine'].map((word) => limited.inspect(told(word), undefined));
    expect(await Promise.all(jobs)).toEqual([none, none, some, some]);
    await limited.close();
  });

  it.each(['throw', 'trap', 'exit', 'hoard', 'fill', 'lie'])('continues after a job that had to %s', async (fault) => {
    const faulty = createMedia({ worker });
    expect(await faulty.inspect(told(fault), undefined)).toEqual(none);
    expect(await faulty.inspect(told('fine'), undefined)).toEqual(some);
    await faulty.close();
  });

  it('computes no hashes after it is closed', async () => {
    const ended = createMedia({ worker });
    const underway = ended.inspect(told('spin'), undefined);
    expect(await ended.inspect(told('fine'), undefined)).toEqual(some);
    await ended.close();
    expect(await underway).toEqual(none);
    expect(await ended.inspect(told('fine'), undefined)).toEqual(none);
  });

  it('hashes the file of a client while another one has more slow files than it may', async () => {
    const shared = createMedia({ worker });
    const slow = Array.from({ length: 100 }, () => shared.inspect(told('spin'), undefined, { client: 'slow' }));
    expect(await shared.inspect(told('fine'), undefined, { client: 'other' })).toEqual(some);
    // Those beyond the budget have no hash at once.
    expect(await Promise.race(slow)).toEqual(none);
    await shared.check();
    await shared.close();
    expect(await Promise.all(slow)).toEqual(slow.map(() => none));
  });

  it('fails its check when no worker can start', async () => {
    const working = createMedia();
    await working.check();
    await working.close();
    const broken = createMedia({ worker: new URL('../support/missingWorker.mjs', import.meta.url) });
    await expect(broken.check()).rejects.toThrow('the worker ended');
    await broken.close();
  });
});

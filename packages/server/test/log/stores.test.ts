// The stores of the log's files: what is written is never overwritten.

import { describe, expect, it, onTestFinished } from 'vitest';
import { newDataFolder } from '../../../../test/support/service.js';
import type { LogFiles } from '../../src/domain/ports/index.js';
import { openLogDisk } from '../../src/files/logDisk.js';
import { openLogS3 } from '../../src/files/logS3.js';
import { startS3 } from '../support/s3.js';

const stores: Readonly<Record<string, () => Promise<LogFiles>>> = {
  'a disk': async () => openLogDisk(await newDataFolder()),
  'a bucket': async () => {
    const s3 = await startS3(await newDataFolder());
    onTestFinished(() => s3.stop());
    return openLogS3({ bucket: s3.bucket, prefix: 'registry' }, s3.environment);
  },
};

describe.each(Object.entries(stores))('on %s', (_, openStore) => {
  it('a file that exists keeps its bytes, and is named if others were to be written', async () => {
    const files = await openStore();
    const path = 'tile/entries/000.p/3';
    const others = { path: 'tile/entries/000.p/4', bytes: Buffer.from('four') };
    expect(await files.writeOnce([{ path, bytes: Buffer.from('first') }])).toBeUndefined();
    expect(await files.writeOnce([{ path, bytes: Buffer.from('first') }, others])).toBeUndefined();
    for (const bytes of ['First', 'firs', 'first ']) {
      expect(await files.writeOnce([others, { path, bytes: Buffer.from(bytes) }])).toBe(path);
      expect(Buffer.from((await files.read(path)) ?? []).toString()).toBe('first');
    }
  });

  it('only the checkpoint that was read is replaced', async () => {
    const files = await openStore();
    expect(await files.replaceCheckpoint('one', undefined)).toBe(true);
    const one = await files.readCheckpoint();
    expect(await files.replaceCheckpoint('two', undefined)).toBe(false);
    expect(await files.replaceCheckpoint('two', one)).toBe(true);
    expect(await files.replaceCheckpoint('three', one)).toBe(false);
    expect((await files.readCheckpoint())?.text).toBe('two');
  });
});

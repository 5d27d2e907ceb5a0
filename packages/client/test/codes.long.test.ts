// Codes of images and sound in Node: whose files have some, why others have none, and that no file harms the program.

import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/service.js';
import { makeBombs } from '../../server/test/support/bombs.js';
import { draw, encodedPicture } from '../../server/test/support/pictures.js';
import { encodedMelody } from '../../server/test/support/sounds.js';
import { computePerceptualHashes } from '../src/node/index.js';

const picture = { seed: 7, width: 640, height: 480, cell: 80 };
const codes = { pHash: expect.stringMatching(/^0x[0-9a-f]{16}$/), dHash: expect.any(String) };
let folder: string;
let photo: Buffer;
beforeAll(async () => {
  folder = await temporaryFolder();
  photo = await draw(picture).jpeg().toBuffer();
});

it('reads a file by its path or content, and a mirrored or turned copy has one of the codes of the question', async () => {
  const path = join(folder, 'photo.jpg');
  await writeFile(path, photo);
  const mirrored = await draw(picture).flop().rotate(90).png().toBuffer();
  const [byPath, byBytePath, byContent, copy] = await Promise.all([
    computePerceptualHashes(path),
    computePerceptualHashes({ path: Buffer.from(path) }),
    computePerceptualHashes(photo, { forSearch: true }),
    computePerceptualHashes(mirrored),
  ]);
  expect(byPath).toEqual({ hashes: expect.objectContaining(codes) });
  expect(byBytePath).toEqual(byPath);
  expect(byContent).toEqual({ ...byPath, queryHashes: expect.any(Array) });
  expect(byContent.queryHashes?.[0]).toEqual({ pHash: byPath.hashes?.pHash, dHash: byPath.hashes?.dHash });
  expect(byContent.queryHashes).toHaveLength(8);
  // JPEG differs from PNG a little: the search allows that, this test does not.
  const lossless = await computePerceptualHashes(await draw(picture).png().toBuffer(), { forSearch: true });
  expect(lossless.queryHashes?.[5]).toEqual({ pHash: copy.hashes?.pHash, dHash: copy.hashes?.dHash });
  expect(await computePerceptualHashes(encodedMelody('mp3'))).toEqual({ chromaprint: expect.stringMatching(/^AQA/) });
});

it('tells why a file has no codes, and harmful files do not harm the program or the files after them', async () => {
  const large = await open(join(folder, 'large.jpg'), 'w');
  await large.write(photo);
  await large.truncate(33 * 1024 * 1024);
  await large.close();
  await mkdir(join(folder, 'folder'));
  const flat = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const gradient = await sharp(
    Uint8Array.from({ length: 4096 }, (_, at) => at % 64),
    {
      raw: { width: 64, height: 64, channels: 1 },
    },
  )
    .png()
    .toBuffer();
  const bombs = await makeBombs();
  const bomb = (name: string) => bombs[name] ?? Buffer.alloc(0);
  expect(
    await Promise.all(
      [
        join(folder, 'large.jpg'),
        join(folder, 'folder'),
        Buffer.from('BM is how this text begins'),
        Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
        Buffer.alloc(0),
        flat,
        gradient,
        photo.subarray(0, 200),
        bomb('a PNG of 900 megapixels'),
        bomb('a WebP with a false size'),
      ].map(async (file) => (await computePerceptualHashes(file)).missing),
    ),
  ).toEqual([
    'too-large',
    'unsupported',
    'unsupported',
    'unsupported',
    'unsupported',
    'featureless',
    'featureless',
    'unreadable',
    'unreadable',
    'unreadable',
  ]);
  expect(await computePerceptualHashes(encodedPicture('BMP of 8 bits, run lengths'))).toMatchObject({ hashes: codes });
  await expect(computePerceptualHashes(join(folder, 'gone.jpg'))).rejects.toMatchObject({ code: 'ENOENT' });
  // Programs use sharp for their own purposes.
  expect(
    await sharp(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>')).metadata(),
  ).toMatchObject({ format: 'svg' });
});

it('gives up on a process that hangs, crashes or lies, and on all when the caller aborts', async () => {
  const misbehaving = join(folder, 'misbehaving.mjs');
  await writeFile(
    misbehaving,
    `process.on('message', ({ id, bytes }) => {
       const text = Buffer.from(bytes).toString('latin1', 3);
       if (text.startsWith('hang')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
       if (text.startsWith('crash')) process.abort();
       process.send({ id, result: text.startsWith('lie') ? { hashes: { pHash: 'x' } } : {} });
     });
     process.send({ ready: true });`,
  );
  const workerFile = pathToFileURL(misbehaving);
  const file = (name: string) => Buffer.from(`ID3${name}`);
  const outcomes = [
    computePerceptualHashes(file('hang'), { workerFile, timeoutMs: 1_000 }),
    computePerceptualHashes(file('crash'), { workerFile }),
    computePerceptualHashes(file('lie'), { workerFile }),
  ];
  expect(await Promise.all(outcomes)).toEqual(Array(3).fill({ missing: 'unreadable' }));
  const aborted = computePerceptualHashes(file('hang'), { workerFile, signal: AbortSignal.timeout(100) });
  await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' });
});

// Look-alikes on the command line: codes sent with registrations, `lookalikes`, `verify --similar`, `marks lookalikes`.

import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, expect, it, vi } from 'vitest';
import { type Service, startService } from '../../../test/support/service.js';
import { draw } from '../../server/test/support/pictures.js';
import { chirp, flac, wav } from '../../server/test/support/sounds.js';
import { FaultyProxy, Registrant } from './support/registration.js';

const sha256 = (content: Uint8Array): `0x${string}` => `0x${createHash('sha256').update(content).digest('hex')}`;
const picture = (seed: number) => draw({ seed, width: 480, height: 360, cell: 60 });
const NOTICE = 'Codes for finding look-alikes are sent with the fingerprints; the files stay here.';

let service: Service;
let ada: Registrant;
let photo: Buffer;
let flat: Buffer;
beforeAll(async () => {
  service = await startService();
  ada = await Registrant.create(service.url);
  photo = await picture(1).png().toBuffer();
  flat = await sharp({ create: { width: 20, height: 20, channels: 3, background: 'white' } })
    .png()
    .toBuffer();
  await ada.machine.file('photos/photo.png', photo);
  await ada.machine.file('photos/flat.png', flat);
  await ada.machine.file('photos/song.wav', wav(chirp(30), 's16'));
  await ada.machine.file('photos/note.txt', 'no codes');
  const first = await ada.machine.run(['register', 'photos', '--json']);
  // Once, though two files have codes.
  expect(first.stderr.split(NOTICE)).toHaveLength(2);
  expect(JSON.parse(first.stdout)).toMatchObject({ summary: { registered: 4, withCodes: 2, similar: 0 } });
  // New registrations are found within seconds.
  await vi.waitUntil(
    async () => (await ada.machine.run(['file', 'lookalikes', 'photos/photo.png'])).code === 0,
    60_000,
  );
});

it('register sends codes under public Marks only, marked as the word of the client', async () => {
  const { metadata } = await ada.client.getArtifact({ fingerprint: sha256(photo) });
  const code = expect.stringMatching(/^0x[0-9a-f]{16}$/);
  expect(metadata).toMatchObject({ pHash: code, dHash: code, hashesBy: 'client' });
  expect((await ada.client.getArtifact({ fingerprint: sha256(flat) })).metadata).not.toHaveProperty('pHash');

  const hidden = await ada.client.createMark({ name: 'Drafts', visibility: 'private' });
  for (const [seed, args] of [
    [2, ['--mark', hidden.id]],
    [3, ['--mark', ada.markId, '--no-codes']],
  ] as const) {
    const file = await picture(seed).png().toBuffer();
    await ada.machine.file(`draft-${seed}.png`, file);
    const { stdout, stderr } = await ada.machine.run(['register', `draft-${seed}.png`, ...args, '--json']);
    expect([JSON.parse(stdout), stderr]).toMatchObject([{ summary: { registered: 1, withCodes: 0 } }, '']);
    expect((await ada.client.getArtifact({ fingerprint: sha256(file) })).metadata).not.toHaveProperty('pHash');
  }
});

it('a run that was killed before the response arrived continues with the same codes', async () => {
  const proxy = await FaultyProxy.open(service.url);
  const bob = (await Registrant.create(service.url)).via(proxy.url);
  await bob.machine.file('killed/one.png', await picture(4).png().toBuffer());
  proxy.decideFault = () => 'hold';
  const running = bob.machine.spawn('bash', ['-c', 'exec provenance register killed']);
  await proxy.waitUntil((creations) => creations.length === 1);
  running.process.kill('SIGKILL');
  await running.end;
  proxy.release();
  await proxy.waitUntil(([creation]) => creation?.status === 201);
  // With other codes under the same key, it would be a conflict: `yours`.
  const { summary } = await bob.register('killed');
  expect(summary).toMatchObject({ registered: 1, hashed: 0, withCodes: 1 });
  expect(new Set(proxy.creations.map(({ key }) => key)).size).toBe(1);
});

it('lookalikes finds a re-encoded and a mirrored copy, and tells what it cannot search', async () => {
  const { machine } = await Registrant.create(service.url);
  await machine.file('copy.jpg', await picture(1).resize(300).jpeg({ quality: 60 }).toBuffer());
  await machine.file('mirrored.webp', await picture(1).flop().webp().toBuffer());
  await machine.file('stranger.png', await picture(5).png().toBuffer());
  await machine.file('flat.png', flat);
  await machine.file('same.png', photo);
  await machine.file('song.flac', flac(chirp(30)));

  const copy = await machine.run(['file', 'lookalikes', 'copy.jpg']);
  expect([copy.code, copy.stderr]).toEqual([0, expect.stringMatching(/^provenance: First contact with .*\n$/)]);
  expect(copy.stdout).toContain('copy.jpg: looks like a registered file');
  expect(copy.stdout).toMatch(/Looks near-identical to a file of Photos \(no verified domain\)/);
  expect(copy.stdout).toContain(sha256(photo));
  expect(copy.stdout).toContain('sent by its registrant; the service has not checked them');
  expect(copy.stdout).toContain(
    'A look-alike is a hint, not a proof: compare the files yourself. Only visual and audio',
  );

  const names = ['mirrored.webp', 'stranger.png', 'flat.png', 'same.png', 'song.flac', 'gone.png'];
  const { code, result } = await machine.json(['file', 'lookalikes', ...names]);
  const found = { fingerprint: sha256(photo), hashesBy: 'client' };
  expect([code, result]).toMatchObject([
    1,
    [
      { sent: 'perceptualHashes', lookalikes: [{ ...found, code: 4, isSameFile: false }] },
      { sent: 'perceptualHashes', lookalikes: [] },
      { sent: 'nothing', lookalikes: [], missing: 'featureless' },
      { lookalikes: [{ ...found, code: 0, distance: 0, isSameFile: true }] },
      { lookalikes: [{ kind: 'audio', grade: 'near-identical' }] },
      { file: 'gone.png', code: 'FILE_PROBLEM' },
    ],
  ]);
  const lone = await machine.run(['file', 'lookalikes', 'flat.png']);
  expect([lone.code, lone.stdout]).toEqual([3, expect.stringContaining('has nothing to compare\nNothing was sent.')]);
  const mirrored = await machine.run(['file', 'lookalikes', '--send-file', '--max-distance', '4', 'mirrored.webp']);
  expect([mirrored.code, mirrored.stdout]).toEqual([
    0,
    expect.stringMatching(/; mirrored\n(?:.*\n)+.*The files were sent/),
  ]);
  expect(await machine.run(['file', 'lookalikes', '--max-distance', '13', 'copy.jpg'])).toMatchObject({ code: 2 });
});

it('verify --similar tells look-alikes apart from the verdict, which stays', async () => {
  const { machine } = await Registrant.create(service.url);
  await machine.file('copy.jpg', await picture(1).jpeg().toBuffer());
  await machine.file('photo.png', photo);
  const { code, stdout } = await machine.run(['verify', '--similar', 'copy.jpg']);
  expect([code, stdout]).toEqual([1, expect.stringContaining('copy.jpg: unknown\n')]);
  expect(stdout).toContain('Look-alikes, not part of the verdict: looks like a registered file\n');
  const { result } = await machine.json(['verify', '--similar', 'copy.jpg', 'photo.png']);
  expect(result).toMatchObject([
    {
      verdict: 'unknown',
      facts: [],
      similar: { sent: 'perceptualHashes', lookalikes: [{ fingerprint: sha256(photo) }] },
    },
    { fingerprint: sha256(photo) },
  ]);
  // It has an exact match.
  expect(result).not.toMatchObject([{}, { similar: {} }]);
  expect((await machine.run(['verify', 'copy.jpg'])).stdout).not.toContain('Look-alike');
});

it('register warns of an older look-alike, and marks lookalikes lists the newer one for its owner', async () => {
  const bob = await Registrant.create(service.url);
  const copy = await picture(1).jpeg({ quality: 90 }).toBuffer();
  await bob.machine.file('copied.jpg', copy);
  const { code, stdout } = await bob.machine.run(['register', 'copied.jpg']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('1 file looks like older files of other Marks.')]);
  expect(stdout).toMatch(/looks like {2}copied\.jpg: a file of Photos, registered \S+ \(\d+ of 64 bits differ/);
  await expect
    .poll(async () => (await ada.machine.json(['mark', 'lookalikes', ada.markId])).result)
    .toMatchObject([{ artifact: { filename: 'photo.png' }, fingerprint: sha256(copy), kind: 'image' }]);
  const list = await ada.machine.run(['mark', 'lookalikes', ada.markId]);
  expect([list.code, list.stdout]).toEqual([0, expect.stringMatching(/photo\.png .* later .*0x/)]);
  const none = await bob.machine.run(['mark', 'lookalikes', ada.markId]);
  expect(none.code).toBe(1);
});

it('the monitor lists what resembles the files of a folder, each once, except under the own Mark', async () => {
  const monitor = async (folder: string, ...more: readonly string[]) => {
    const words = ['log', 'monitor', '--once', '--folder', folder, '--lookalikes', 'mine', ...more];
    const { code, stdout } = await ada.machine.run([...words, '--json']);
    const { lookalikes, findings, unchecked, searched } = JSON.parse(stdout);
    return { code, lookalikes, findings, unchecked, searched };
  };
  const nothing = { code: 0, lookalikes: [], findings: [], unchecked: [] };
  const own = ['--mark', ada.markId];
  const mine = await picture(9).png().toBuffer();
  await ada.machine.file('mine/sunset.png', mine);
  await ada.machine.file('mine/flat.png', flat);
  await ada.machine.file('mine/note.txt', 'no codes');
  await ada.machine.run(['register', 'mine', '--mark', ada.markId]);
  expect(await monitor('own', ...own)).toMatchObject({ ...nothing, searched: 1 });
  const bob = await Registrant.create(service.url);
  const copy = await picture(9).resize(300).jpeg({ quality: 60 }).toBuffer();
  await bob.machine.file('taken/copy.jpg', copy);
  await bob.register('taken');
  await vi.waitUntil(async () => {
    const { result } = await bob.machine.json(['file', 'lookalikes', 'taken/copy.jpg']);
    return JSON.stringify(result).includes(sha256(copy));
  }, 60_000);
  const found = await monitor('own', ...own);
  const taken = { picture: 'mine/sunset.png', fingerprint: sha256(copy), isSameFile: false, mark: { id: bob.markId } };
  expect(found).toMatchObject({ ...nothing, lookalikes: [taken] });
  // The search of the run after the log has grown, and none after that.
  expect(await monitor('own', ...own)).toMatchObject({ ...nothing, searched: 1 });
  expect(await monitor('own', ...own)).toMatchObject({ ...nothing, searched: 0 });

  // Without a Mark, the own registrations too, which are the very files.
  const all = await monitor('all');
  expect(all.lookalikes).toHaveLength(2);
  expect(all.lookalikes).toEqual(expect.arrayContaining([expect.objectContaining({ isSameFile: true })]));
  const told = await ada.machine.run([
    'log',
    'monitor',
    '--once',
    '--folder',
    'told',
    '--lookalikes',
    'photos',
    ...own,
  ]);
  expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('near-identical to a file of') });
  expect(told.stdout).toContain('Only visual and audio fingerprints were sent, not the files.');

  await ada.machine.file('empty/note.txt', 'no picture');
  const words = ['log', 'monitor', '--once', '--folder', 'none', '--lookalikes'];
  expect(await ada.machine.run([...words, 'empty'])).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('empty has no picture or recording that can be compared'),
  });
  expect(await ada.machine.run([...words, 'mine', '--from', 'copy'])).toMatchObject({ code: 2 });
});

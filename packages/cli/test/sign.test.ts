// `sign`, and what `status`, `verify` and `bundle` say about signed copies.

import { createHash } from 'node:crypto';
import { readdir, readFile, symlink } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createRegistrant } from '../../../test/support/registrants.js';
import { startService } from '../../../test/support/service.js';
import { newImage } from '../../../test/support/signedImages.js';
import { startScriptedServer } from '../../client/test/support/scriptedServer.js';
import { createDeferred } from './support/deferred.js';
import { Machine } from './support/machine.js';

const sha256 = (content: Uint8Array) => `0x${createHash('sha256').update(content).digest('hex')}`;
const service = await startService();
const ada = await createRegistrant(service.url);
const bea = await createRegistrant(service.url);
// Later it would be news to a command that has seen the registry without its log.
await vi.waitUntil(async () => (await ada.client.getRegistryIdentity()).log, { timeout: 240_000 });

async function createMachine(token = ada.token): Promise<Machine> {
  return Machine.create({ PROVENANCE_URL: service.url, PROVENANCE_TOKEN: token });
}

/** A proxy in front of the service that hands over each signed image with a choice: deliver it, or close the connection. */
function startProxy(onImage: (path: string, deliver: () => void, drop: () => void) => void): Promise<string> {
  return startScriptedServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    const forwarded = request(service.url + url, { method, headers });
    incoming.pipe(forwarded);
    forwarded.on('response', (response) => {
      const deliver = () => void response.pipe(outgoing.writeHead(response.statusCode ?? 500, response.headers));
      const isImage = response.headers['content-type']?.startsWith('image/');
      if (isImage) onImage(url, deliver, () => incoming.socket.destroy());
      else deliver();
    });
  }).then(({ url }) => url);
}

describe('sign', () => {
  let machine: Machine;
  let photo: Buffer;
  const read = (name: string) => readFile(join(machine.home, name));
  beforeAll(async () => {
    machine = await createMachine();
    photo = await newImage('image/jpeg');
    await machine.file('photo.jpg', photo);
  });

  it('registers a new image, and saves three signed copies that are found like it', async () => {
    const first = await machine.json(['file', 'sign', 'photo.jpg', '--digital-source-type', 'digitalCapture']);
    const copy = await read('photo.signed.jpg');
    expect(first).toEqual({
      code: 0,
      result: [
        {
          file: 'photo.jpg',
          output: 'photo.signed.jpg',
          outcome: 'registered',
          fingerprint: sha256(photo),
          signedFingerprint: sha256(copy),
          mediaType: 'image/jpeg',
          size: copy.length,
          manifestUrl: expect.stringContaining(service.url),
        },
      ],
    });
    expect(await read('photo.jpg')).toEqual(photo);
    const artifact = await ada.client.getArtifact({ fingerprint: sha256(copy) as `0x${string}` });
    expect(artifact).toMatchObject({
      fingerprint: sha256(photo),
      metadata: { filename: 'photo.jpg', digitalSourceType: 'digitalCapture', lastModified: expect.any(String) },
    });
    const second = await machine.run(['file', 'sign', 'photo.jpg', '-o', 'web.jpg']);
    expect(second).toEqual({ code: 0, stdout: 'web.jpg  signed copy of photo.jpg\n', stderr: '' });
    expect((await machine.run(['file', 'sign', 'photo.jpg', '--output-dir', 'out'])).code).toBe(0);
    const copies = await Promise.all(['photo.signed.jpg', 'web.jpg', 'out/photo.signed.jpg'].map(read));
    expect(new Set(copies.map(sha256)).size).toBe(3);
    // A fourth is refused; nothing is left behind.
    const full = await machine.json(['file', 'sign', 'photo.jpg', '-o', 'fourth.jpg']);
    expect(full).toEqual({
      code: 1,
      result: [{ file: 'photo.jpg', code: 'CONFLICT', error: expect.stringContaining('3 signed copies') }],
    });
    expect((await readdir(machine.home)).filter((name) => /fourth|partial/.test(name))).toEqual([]);

    const status = await machine.run(['file', 'status', '--wait', 'photo.jpg', 'web.jpg']);
    expect(status.code).toBe(0);
    const rows = status.stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2).join(' ').trim());
    expect(rows).toEqual(
      expect.arrayContaining([`${sha256(photo)} submitted`, `${sha256(copies[1] ?? photo)} submitted`]),
    );
    expect(rows.filter((row) => row.startsWith('signed copy'))).toHaveLength(5);
    expect(rows.filter((row) => row.startsWith('original'))).toHaveLength(1);

    const { rpcUrl = '', address } = await ada.client.getContract();
    const shown = await machine.run(['verify', 'web.jpg', '--rpc-url', rpcUrl, '--contract', address]);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(`Signed copy of +${sha256(photo)}`)]);
    expect((await machine.run(['verify', 'photo.jpg'])).stdout).toContain('Signed copies');
    const { result: saved } = await machine.json(['file', 'bundle', 'web.jpg', '-o', 'web.bundle.json']);
    expect(saved).toMatchObject({ block: { hash: expect.any(String) } });
    const { hash } = (saved as { block: { hash: string } }).block;
    const compared = ['--block-hash', hash, '--contract', address];
    const offline = await machine.run(['verify', '--bundle', 'web.bundle.json', ...compared, 'web.jpg']);
    expect([offline.code, offline.stdout]).toEqual([0, expect.stringContaining(sha256(photo))]);
  });

  it('signs several images in one run, each with its own result', async () => {
    const [one, theirs, unregistered] = await Promise.all([1, 2, 3].map(() => newImage('image/png')));
    await machine.file('one.png', one ?? '');
    await machine.file('theirs.png', theirs ?? '');
    await machine.file('taken.png', unregistered ?? '');
    await machine.file('taken.signed.png', 'kept');
    await machine.file('note.txt', 'a text');
    await machine.file('other/one.png', unregistered ?? '');
    await bea.client.createArtifact({
      markId: bea.markId,
      fingerprint: sha256(theirs ?? photo) as `0x${string}`,
      filename: 'theirs.png',
    });
    const names = ['one.png', 'gone.png', 'theirs.png', 'note.txt', 'taken.png', 'photo.signed.jpg', 'other'];
    const { code, result } = await machine.json(['file', 'sign', ...names]);
    expect(code).toBe(2);
    expect(result).toEqual([
      expect.objectContaining({ file: 'one.png', outcome: 'registered', output: 'one.signed.png' }),
      { file: 'gone.png', code: 'FILE_PROBLEM', error: 'gone.png: no such file.' },
      { file: 'theirs.png', code: 'FORBIDDEN', error: expect.stringMatching(/^theirs\.png: /) },
      { file: 'note.txt', code: 'UNSUPPORTED_MEDIA_TYPE', error: 'note.txt: only images can be signed.' },
      {
        file: 'taken.png',
        code: 'FILE_EXISTS',
        error: 'taken.signed.png already exists. Use --force to overwrite it.',
      },
      {
        file: 'photo.signed.jpg',
        code: 'ALREADY_SIGNED',
        error: `photo.signed.jpg: The file is a signed copy of ${sha256(photo)} already.`,
      },
      { file: 'other', code: 'FILE_PROBLEM', error: 'other: is a directory. Name the files in it.' },
    ]);
    // Nothing was sent for it.
    const fingerprint = sha256(unregistered ?? photo) as `0x${string}`;
    await expect(ada.client.getArtifact({ fingerprint })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await read('taken.signed.png')).toEqual(Buffer.from('kept'));
    expect((await machine.run(['file', 'sign', '--force', 'taken.png'])).code).toBe(0);
    expect((await read('taken.signed.png')).length).toBeGreaterThan(1000);
    // Two files of one name in one folder: the second is not sent.
    const both = await machine.run([
      'file',
      'sign',
      'one.png',
      'other/one.png',
      '--output-dir',
      'out',
      '--concurrency',
      '1',
    ]);
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('another file is signed as') });
  });

  it('never replaces the original, and refuses what does not fit together', async () => {
    await symlink('photo.jpg', join(machine.home, 'link.jpg'));
    for (const [args, message] of [
      [['photo.jpg', '-o', 'link.jpg', '--force'], 'link.jpg is the original'],
      [['photo.jpg', 'one.png', '-o', 'out.jpg'], '--output is for a single image'],
      [['photo.jpg', '-o', 'a.jpg', '--output-dir', 'out'], 'cannot be combined'],
      [['-'], 'standard input'],
      [['photo.jpg', '--digital-source-type', 'painting'], 'must be one of digitalCapture'],
    ] as const) {
      const { code, stderr } = await machine.run(['file', 'sign', ...args]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(await read('photo.jpg')).toEqual(photo);
  });

  it('sends an image once when the response is lost, and says what that means', async () => {
    const uploads: string[] = [];
    const lossy = await startProxy((path, _, drop) => {
      uploads.push(path);
      drop();
    });
    await machine.file('lost.png', await newImage('image/png'));
    const { code, stderr } = await machine.with({ PROVENANCE_URL: lossy }).run(['file', 'sign', 'lost.png']);
    expect([code, uploads]).toEqual([3, ['/api/c2pa/manifests']]);
    expect(stderr).toContain('counts as one of the three');
    expect(await readdir(machine.home)).not.toContain('lost.signed.png');
    // The image is registered: the next run asks for another copy.
    const again = await machine.json(['file', 'sign', 'lost.png']);
    expect(again).toMatchObject({ code: 0, result: [{ outcome: 'copied' }] });
    const { stdout } = await machine.run(['file', 'status', 'lost.png']);
    expect(stdout.match(/signed copy/g)).toHaveLength(2);
  });

  it('saves the copy that is being made when Ctrl-C is pressed, and starts no other', async () => {
    const names = ['first.png', 'second.png'];
    for (const name of names) await machine.file(name, await newImage('image/png'));
    const held = createDeferred<() => void>();
    const slow = await startProxy((_, deliver) => held.resolve(deliver));
    const args = ['file', 'sign', '--concurrency', '1', ...names];
    const running = machine.with({ PROVENANCE_URL: slow }).start(args, { isTerminal: true });
    await running.waitForOutput('does not store them');
    const deliver = await held.promise;
    running.interrupt();
    await running.waitForOutput('Finishing pending requests');
    deliver();
    const { stdout } = await running.end;
    expect(stdout).toContain('first.signed.png  signed copy of first.png, registered now');
    expect(stdout).toContain('second.png: not signed.');
    expect(await readdir(machine.home)).toContain('first.signed.png');
  });
});

it('register states how files came to be', async () => {
  const machine = await createMachine();
  const image = await newImage('image/png');
  await machine.file('art.png', image);
  const args = ['register', 'art.png', '--digital-source-type', 'trainedAlgorithmicMedia'];
  expect((await machine.run(args)).code).toBe(0);
  const { metadata } = await ada.client.getArtifact({ fingerprint: sha256(image) as `0x${string}` });
  expect(metadata.digitalSourceType).toBe('trainedAlgorithmicMedia');
});

// docs/verify-without-us.md, as a stranger follows it: every command on the page, in one shell, with the programs that it shows.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { createClient, makeBundle, waitForStatus } from '../packages/client/src/index.js';
import { hashFile } from '../packages/client/src/node/index.js';
import { createRegistrant } from './support/registrants.js';
import { startService, temporaryFolder } from './support/service.js';

const page = await readFile(new URL('../docs/verify-without-us.md', import.meta.url), 'utf8');
const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

it('a stranger verifies file, manifest and chain with the commands on the page', async () => {
  const service = await startService();
  const { client } = await createRegistrant(service.url);
  const { id: markId } = await client.createMark({ name: 'Ada Lovelace', license: 'CC-BY-4.0' });
  const folder = await temporaryFolder();
  const photo = join(folder, 'photo.jpg');
  await sharp({ create: { width: 64, height: 64, channels: 3, background: '#28465a' } })
    .jpeg()
    .toFile(photo);
  const { fingerprint } = await hashFile(photo);
  const { id } = await client.createArtifact({ markId, fingerprint, filename: 'photo.jpg' });
  const { image } = await client.createSignedCopy({ fingerprint, file: await readFile(photo) });
  await writeFile(join(folder, 'photo.signed.jpg'), image);
  await waitForStatus(client, `0x${createHash('sha256').update(image).digest('hex')}`);
  const bundle = await makeBundle(fingerprint, { client: createClient({ baseUrl: service.url }) });
  await writeFile(join(folder, 'photo.bundle.json'), JSON.stringify(bundle));
  const programs = [...page.matchAll(/^```js\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)];
  for (const [, name = '', code = ''] of programs) await writeFile(join(folder, name), code);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await mkdir(join(folder, 'bin'));
  const command = `#!/bin/sh\nexec "${process.execPath}" "${root}packages/cli/bundle/main.js" "$@"\n`;
  await writeFile(join(folder, 'bin', 'provenance'), command, { mode: 0o755 });

  const { address, rpcUrl = '' } = await client.getContract();
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands);
  // Nothing after the downloads needs the service.
  expect(blocks.slice(1).join('')).not.toContain('REGISTRY');
  const script = blocks.join("\nprintf '===\\n'\n").replaceAll('http://127.0.0.1:8080', service.url);
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: folder,
    CONTRACT: address,
    RPC_URL: rpcUrl,
  };
  const { stdout, stderr } = await run('sh', ['-eu', '-c', script], { cwd: folder, env });
  expect(stderr).toBe('');
  const [roots, chain, metadata, manifest, copy, signature, proof, verified, ...more] = stdout.split('===\n');
  expect([blocks.length, more]).toEqual([8, []]);

  const { metadata: recorded } = JSON.parse(await readFile(join(folder, 'record.json'), 'utf8'));
  expect(recorded).toMatchObject({ filename: 'photo.jpg', mark: { name: 'Ada Lovelace' } });
  const facts = 'Ada Lovelace | Ada | Creative Commons Attribution 4.0 International';
  expect(roots).toMatch(/^sha256 Fingerprint=[0-9A-F:]{95}\n$/);
  expect(chain).toContain(`registry curated\nmanifest ${id}\nmetadata 0x`);
  const [, manifestHash] = /^metadata (0x[0-9a-f]{64})$/m.exec(chain ?? '') ?? [];
  const [, number, blockHash, since] = /^block (\d+) (0x[0-9a-f]{64})\nsince (\S+)$/m.exec(chain ?? '') ?? [];
  expect(metadata).toBe(`metadata ${manifestHash}\n${facts}\n`);
  expect(manifest).toContain(`signed for exactly this file\nmanifest urn:c2pa:${id}\nsigner Development signer\n`);
  expect(manifest).toContain('signingCredential.trusted');
  expect(manifest).toContain(`failed assertion.dataHash.mismatch\n${facts}\n`);
  expect(copy).toContain(`registry curated\nmanifest ${id}\nmetadata ${manifestHash}\n`);
  expect(copy).toMatch(new RegExp(`^copy of ${fingerprint}\\npassed .*assertion\\.dataHash\\.match.*\\nfailed $`, 'm'));
  expect(signature).toMatch(
    /^signer\.pem: OK\n(?:Signature Verified Successfully\n(?:CMS Verification successful\n)?){2}1\n1\nTime stamp: .* GMT\n$/,
  );
  expect(proof).toBe(`contract ${address.toLowerCase()}\nblock ${number} ${blockHash}\nsince ${since}\n`);
  expect(verified?.match(/^photo\.jpg: verified$/gm)).toHaveLength(2);

  // The programs find out when something was changed.
  const node = (...args: string[]) => run(process.execPath, args, { cwd: folder });
  await writeFile(join(folder, 'other.jpg'), 'another file');
  expect((await node('manifest.mjs', 'other.jpg', 'photo.c2pa', 'roots.pem')).stdout).toContain('ANOTHER FILE');
  const forged = { ...bundle, metadata: { ...bundle.metadata, filename: 'other.jpg' } };
  await writeFile(join(folder, 'forged.json'), JSON.stringify(forged));
  await expect(node('proof.mjs', 'forged.json')).rejects.toThrow('metadata: 0x');
});

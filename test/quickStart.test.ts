// The quick start, as a newcomer follows it: every command on the page, in one shell, in an empty folder.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { toTestFile } from './support/files.js';
import { createTrustingReader } from './support/manifestReader.js';
import { startServiceProcess, temporaryFolder } from './support/service.js';

const page = new URL('../docs/quick-start.md', import.meta.url);
const defaultAddress = 'http://127.0.0.1:8080';

it('the quick start leads from nothing to a registered file that anyone finds', async () => {
  const dataDir = await temporaryFolder();
  const service = await startServiceProcess({ DATA_DIR: dataDir });
  const [start = '', ...blocks] = [...(await readFile(page, 'utf8')).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
    ([, commands = '']) => commands.replaceAll(defaultAddress, service.url),
  );
  expect(start).toBe('npm start\n');
  // All that a newcomer gets to see.
  expect(service.output().messages).toMatch(/^The provenance registry is ready\.\n/);

  const folder = await temporaryFolder();
  const script = blocks.map((commands) => `${commands}\nprintf '\\n%s\\n' '==='`).join('\n');
  const env = { PATH: process.env['PATH'] ?? '' };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-eu', '-c', script], { cwd: folder, env });
  expect(stderr).toBe('');
  const outputs = stdout.split('\n===\n').map((text) => text.trim());
  const [helpers, who, created, waited, byContent, byBinding, taken, embedded, after] = outputs;
  expect(outputs).toHaveLength(9);
  expect([helpers, taken, embedded, after]).toEqual(['', '', '', '']);

  const note = toTestFile(Buffer.from(await readFile(join(folder, 'note.txt'))));
  const artifact = JSON.parse(created ?? '');
  expect(who).toBe(`Your Mark is ${artifact.mark.id}`);
  expect(artifact).toMatchObject({
    fingerprint: note.fingerprint,
    status: 'pending',
    licenseKey: 'CC-BY-4.0',
    createdBy: { name: 'Ada' },
    metadata: { filename: 'note.txt' },
  });
  expect(waited).toBe('submitted');
  const matches = [{ manifestId: artifact.id, endpoint: `${service.url}/api/c2pa`, similarityScore: 100 }];
  expect(JSON.parse(byContent ?? '')).toEqual({ matches });
  expect(JSON.parse(byBinding ?? '')).toEqual({ matches });

  const reader = await createTrustingReader(dataDir);
  const card = await readFile(join(folder, 'card.png'));
  expect((await sharp(card).metadata()).format).toBe('png');
  expect(await reader.read('image/png', card)).toMatchObject({ validation_state: 'Trusted' });
  const sidecar = await readFile(join(folder, 'note.c2pa'));
  expect(await reader.read('application/c2pa', sidecar)).toMatchObject({ active_manifest: `urn:c2pa:${artifact.id}` });
  const signed = await readFile(join(folder, 'signed.png'));
  expect(await reader.read('image/png', signed)).toMatchObject({ validation_state: 'Trusted' });
  expect(signed.includes(createHash('sha256').update(card).digest())).toBe(true);
});

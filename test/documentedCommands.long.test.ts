// Runs the shell commands on the pages of the documentation, as a reader does. Each page has an account, a Mark and photos of
// its own.

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient, type RegistryClient, waitForStatus } from '../packages/client/src/index.js';
import { hashFile } from '../packages/client/src/node/index.js';
import { draw } from '../packages/server/test/support/pictures.js';
import { createRegistrant } from './support/registrants.js';
import { listCommands, readPage, runnablePages } from './support/runnablePages.js';
import { startService, temporaryFolder } from './support/service.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

describe('the commands of', () => {
  let environment: Readonly<Record<string, string>>;
  let url: string;

  beforeAll(async () => {
    ({ url } = await startService());
    const bin = await temporaryFolder();
    const command = `#!/bin/sh\nexec "${process.execPath}" "${root}packages/cli/bundle/main.js" "$@"\n`;
    await writeFile(join(bin, 'provenance'), command, { mode: 0o755 });
    const { rpcUrl = '' } = await createClient({ baseUrl: url }).getContract();
    environment = {
      PATH: `${bin}:${process.env['PATH']}`,
      ...Object.fromEntries(['PROVENANCE_URL', 'BASE_URL', 'URL', 'SERVICE', 'REGISTRY'].map((name) => [name, url])),
      RPC_URL: rpcUrl,
    };
  });

  /** Makes photos of different looks, so that none resembles that of another page. */
  const newPhoto = (seed: number) =>
    draw({ seed: 40 + seed, width: 320, height: 240, cell: 40 })
      .jpeg()
      .toBuffer();

  async function registerPhoto(client: RegistryClient, markId: string, path: string, photo: Buffer): Promise<void> {
    const { fingerprint } = await hashFile(path);
    await client.createArtifact({ markId, fingerprint, filename: 'photo.jpg', file: new Uint8Array(photo) });
    await waitForStatus(client, fingerprint);
  }

  it.each(Object.entries(runnablePages).map(([name, page], number) => ({ name, number, ...page })))(
    '$name do what the page says',
    async ({ name, number, files = [], variables, output }) => {
      const { client, token, markId } = await createRegistrant(url);
      const folder = await temporaryFolder();
      for (const [index, file] of files.entries()) {
        const path = join(folder, file);
        const photo = await newPhoto(number * 10 + index);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, photo);
        if (file === 'photo.jpg') await registerPhoto(client, markId, path, photo);
      }
      const script = listCommands(await readPage(name))
        .join('\n')
        .replaceAll('http://127.0.0.1:8080', url)
        .replaceAll('https://authority.example/', `${url}/tsa`);
      const account = { PROVENANCE_TOKEN: token, TOKEN: token, PROVENANCE_MARK: markId, MARK_ID: markId };
      const env = { ...environment, ...account, ...variables, HOME: folder };
      const { stdout, stderr } = await run('sh', ['-eu', '-c', script], { cwd: folder, env });
      let rest = `${stdout}${stderr}`;
      for (const part of output) {
        expect(rest).toMatch(part);
        rest = rest.slice(rest.search(part) + 1);
      }
    },
  );
});

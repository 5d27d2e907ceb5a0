// Runs the code on the pages of the documentation, as a reader does. Each page has an account, a Mark and photos of its own.

import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { registryFingerprint } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient, waitForStatus } from '../packages/client/src/index.js';
import { hashFile } from '../packages/client/src/node/index.js';
import { draw } from '../packages/server/test/support/pictures.js';
import { type Block, listRunBlocks, runnablePages } from './support/documentedBlocks.js';
import { python } from './support/python.js';
import { createRegistrant, type Registrant } from './support/registrants.js';
import { startService, temporaryFolder } from './support/service.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);
/** Far more than the log needs. */
const RECEIPT_WAIT_SECONDS = 30;
const organization = { name: 'Analytical Engines' };

describe('the code of', () => {
  let environment: Readonly<Record<string, string>>;
  let url: string;
  let rootsPem: string;

  beforeAll(async () => {
    // No name of an example is looked up on the internet.
    ({ url } = await startService({ DOMAIN_DNS_SERVERS: '127.0.0.1:1', DOWNLOADS_SECONDS: '1' }));
    const bin = await temporaryFolder();
    const addProgram = (name: string, program: string) =>
      writeFile(join(bin, name), `#!/bin/sh\nexec ${program} "$@"\n`, { mode: 0o755 });
    await addProgram('provenance', `"${process.execPath}" "${root}packages/cli/bundle/main.js"`);
    await addProgram('python3', `"${python}"`);
    const client = createClient({ baseUrl: url });
    const { rpcUrl = '', address } = await client.getContract();
    const identity = await client.getRegistryIdentity();
    rootsPem = identity.signerRoots.map(({ pem }) => pem).join('\n');
    const addresses = ['PROVENANCE_URL', 'BASE_URL', 'URL', 'SERVICE', 'REGISTRY', 'REGISTRY_URL'];
    environment = {
      PATH: `${bin}:${process.env['PATH']}`,
      ...Object.fromEntries(addresses.map((name) => [name, url])),
      RPC_URL: rpcUrl,
      CONTRACT: address,
      REGISTRY_FINGERPRINT: registryFingerprint(identity),
    };
  });

  /** Makes photos of different looks, so that none resembles that of another page. */
  const newPhoto = (seed: number) =>
    draw({ seed: 40 + seed, width: 320, height: 240, cell: 40 })
      .jpeg()
      .toBuffer();

  async function registerPhoto({ client, markId }: Registrant, path: string, photo: Buffer): Promise<string> {
    const { fingerprint } = await hashFile(path);
    await client.createArtifact({ markId, fingerprint, filename: 'photo.jpg', file: new Uint8Array(photo) });
    await waitForStatus(client, fingerprint);
    await client.getReceipt({ fingerprint, wait: RECEIPT_WAIT_SECONDS });
    return fingerprint;
  }

  it.each(Object.entries(runnablePages).map(([page, needs], number) => ({ page, number, ...needs })))(
    '$page does what the page says',
    async ({ page, number, files = [], variables, registrant, output }) => {
      const user = await createRegistrant(url);
      const { id: organizationId } = await user.client.createOrganization(organization);
      const folder = await temporaryFolder();
      await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
      await writeFile(join(folder, 'roots.pem'), rootsPem);
      let fingerprint = '';
      for (const [index, file] of files.entries()) {
        const path = join(folder, file);
        const photo = await newPhoto(number * 10 + index);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, photo);
        if (file !== 'photo.jpg') continue;
        const owner = registrant === undefined ? user : await createRegistrant(url);
        fingerprint = await registerPhoto(owner, path, photo);
      }
      const script = (await listRunBlocks(page))
        .map(toShell)
        .join('\n')
        .replaceAll('http://127.0.0.1:8080', url)
        .replaceAll('https://authority.example/', `${url}/tsa`)
        .replaceAll('ada@example.com', user.email.replace('@', '.page@'));
      const account = { PROVENANCE_TOKEN: user.token, TOKEN: user.token, PROVENANCE_MARK: user.markId };
      const ids = { MARK_ID: user.markId, ORGANIZATION_ID: organizationId, FINGERPRINT: fingerprint };
      const env = { ...environment, ...account, ...ids, ...variables, HOME: folder };
      const { stdout, stderr } = await run('sh', ['-eu', '-c', script], { cwd: folder, env });
      let rest = `${stdout}${stderr}`;
      for (const part of output) {
        expect(rest).toMatch(part);
        rest = rest.slice(rest.search(part) + 1);
      }
    },
  );
});

/** Programs read their code from standard input; imports are resolved from the folder that they run in. */
function toShell({ language, code }: Block): string {
  if (language === 'sh') return code;
  const program = language === 'python' ? 'python3 -' : 'node --input-type=module -';
  return `${program} <<'END_OF_BLOCK'\n${code}END_OF_BLOCK\n`;
}

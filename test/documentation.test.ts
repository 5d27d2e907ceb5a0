// The documentation: every page is in its navigation, and every shell command on it is run by a test, or there is a reason.

import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClient, waitForStatus } from '../packages/client/src/index.js';
import { hashFile } from '../packages/client/src/node/index.js';
import { draw } from '../packages/server/test/support/pictures.js';
import { parsePage, renderPage } from '../scripts/docsSite/markdown.mjs';
import { listPages } from '../scripts/docsSite/navigation.mjs';
import { createRegistrant } from './support/registrants.js';
import { startService, temporaryFolder } from './support/service.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const readPage = (name: string) => readFile(join(root, 'docs', `${name}.md`), 'utf8');
const names = (await readdir(join(root, 'docs'), { recursive: true }))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.replace('.md', ''));

/** Also those in lists, which are indented. */
function listCommands(text: string): string[] {
  return [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, commands = '']) => commands);
}

describe('the pages of the documentation', () => {
  it('are all in the navigation, once', () => {
    const listed = listPages().flatMap(({ source }) => /^docs\/(.*)\.md$/.exec(source)?.[1] ?? []);
    expect(listed.toSorted()).toEqual(names.toSorted());
  });

  it('show what they contain as text, and refuse markup', () => {
    const file = { name: 'a', source: 'docs/a.md', group: 'Start' };
    const targets = { link: (href: string) => href, titleOf: () => undefined, image: () => '' };
    const render = (text: string) => renderPage(parsePage(file, text, { isCodeSearched: true }), targets);
    const html = render('# A \\<x>\n\n```html\n<script>alert(1)</script>\n```\n\n`<b>` & [a "b"](c?d&e)\n');
    expect(html).toContain('<h1>A &lt;x&gt;</h1>');
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('<code>&lt;b&gt;</code> &amp; <a href="c?d&amp;e">');
    expect(() => render('# A\n\n<script>alert(1)</script>\n')).toThrow('docs/a.md: raw HTML is not allowed');
    expect(() => render('A page without a title.\n')).toThrow('starts with one heading');
  });
});

/** Pages with tests of their own. */
const testedElsewhere: Readonly<Record<string, string>> = {
  cli: 'packages/cli/test/examples.test.ts',
  'quick-start': 'test/quickStart.test.ts',
  'verify-without-us': 'test/verifyWithoutUs.test.ts',
};

/** Pages whose commands no test runs as they stand. */
const notRun: Readonly<Record<string, string>> = {
  audit: 'the tests of the audit start it with settings of their own',
  bundles: 'guide-legal has the same commands',
  chain: 'needs a deployed contract and a tool that is not installed; registrarCommand.long.test.ts runs the command',
  chaos: 'takes ten minutes; chaos.test.ts runs a short one',
  claims: 'needs evidence that is older than the registration, which the tests of claims make',
  downloads: 'tests of the command (examples, filter, filterPython) run these lines after a version is published',
  'integrations/events': 'the examples of the API document have the same calls; a stream does not end',
  'integrations/webhooks': 'needs a receiver; openapi.test.ts creates a webhook in the same way',
  'integrations/agents': 'mcp.test.ts of the command has the same calls, with the official client',
  fuzzing: 'takes minutes to hours; the suite fuzzes with its own seeds',
  mirror: 'needs the database of a stopped service; the tests of the mirror run the command',
  operating: 'machines with etcd and HAProxy, and S3; restore.long.test.ts follows the procedure',
  sdk: 'packed.test.ts bundles with the same entries',
};

interface RunnablePage {
  /** By path. */
  readonly files?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** In the output, in this order. */
  readonly output: readonly (string | RegExp)[];
}

const ownAccount = { PROVENANCE_TOKEN: '', PROVENANCE_MARK: '', PROVENANCE_PASSWORD: 'correct horse battery' };
const pages: Readonly<Record<string, RunnablePage>> = {
  'guide-creators': {
    files: ['photos/sunrise.jpg', 'photos/moonrise.jpg'],
    variables: ownAccount,
    output: [
      'Ada Lovelace Photography',
      '2 files: 2 to be registered',
      '2 files: 2 registered',
      'sunrise.jpg',
      'signed',
    ],
  },
  'guide-newsrooms': {
    files: ['photo.jpg', 'incoming/unknown.jpg'],
    output: ['photo.jpg: consistent', 'exit code 4', 'exit code 1', 'This very file'],
  },
  'guide-legal': { files: ['photo.jpg'], output: ['photo.bundle.json', 'photo.jpg: consistent', 'exit code 4'] },
  'guide-organizations': {
    files: ['masters/one.jpg'],
    variables: { PROVENANCE_MARK: '' },
    output: [/of 6 in use/, '/invitation#', '1 file: 1 registered', 'one.jpg', 'key.created'],
  },
  'guide-developers': { files: ['photo.jpg', 'dist/release.tar.gz'], output: ['"status":"submitted"'] },
  platforms: { output: ['"results":[]'] },
  'ai-preferences': { output: ['Ask licensing@example.com.'] },
  certificates: { files: ['photo.jpg'], output: ['Signature is Valid', 'Fingerprint='] },
  evidence: { files: ['photo.jpg'], output: [] },
  lookalikes: { files: ['photo.jpg'], output: ['"grade":"near-identical"', '{"lookalikes":'] },
  lookups: { files: ['photo.jpg'], output: ['"match":"artifact"'] },
  manifests: { files: ['photo.jpg'], output: ['sha256 Fingerprint=', 'Verification: OK'] },
  trust: { output: [] },
};

it('every page with shell commands is run by a test, or there is a reason', async () => {
  const withCommands = await Promise.all(
    names.map(async (name) => (listCommands(await readPage(name)).length > 0 ? [name] : [])),
  );
  const known = [testedElsewhere, notRun, pages].flatMap((group) => Object.keys(group));
  expect(known.toSorted()).toEqual(withCommands.flat().toSorted());
  for (const [name, test] of Object.entries(testedElsewhere)) {
    expect(await readFile(join(root, test), 'utf8')).toContain(`docs/${name}.md`);
  }
});

describe('the commands of', () => {
  let environment: Readonly<Record<string, string>>;
  let photo: Buffer;
  let url: string;
  let bin: string;

  beforeAll(async () => {
    const service = await startService();
    url = service.url;
    const { client, token, markId } = await createRegistrant(url);
    bin = await temporaryFolder();
    const command = `#!/bin/sh\nexec "${process.execPath}" "${root}packages/cli/bundle/main.js" "$@"\n`;
    await writeFile(join(bin, 'provenance'), command, { mode: 0o755 });
    photo = await newPhoto(0);
    await writeFile(join(bin, 'photo.jpg'), photo);
    const { fingerprint } = await hashFile(join(bin, 'photo.jpg'));
    await client.createArtifact({ markId, fingerprint, filename: 'photo.jpg', file: new Uint8Array(photo) });
    await waitForStatus(client, fingerprint);
    const { rpcUrl = '' } = await createClient({ baseUrl: url }).getContract();
    environment = {
      PATH: `${bin}:${process.env['PATH']}`,
      ...Object.fromEntries(['PROVENANCE_URL', 'BASE_URL', 'URL', 'SERVICE', 'REGISTRY'].map((name) => [name, url])),
      RPC_URL: rpcUrl,
      PROVENANCE_TOKEN: token,
      TOKEN: token,
      PROVENANCE_MARK: markId,
      MARK_ID: markId,
    };
  });

  /** Of different looks, so that only the first resembles the registered one. */
  const newPhoto = (seed: number) =>
    draw({ seed: 40 + seed, width: 320, height: 240, cell: 40 })
      .jpeg()
      .toBuffer();

  it.each(Object.entries(pages))('%s do what the page says', async (name, { files = [], variables, output }) => {
    const folder = await temporaryFolder();
    for (const [index, file] of files.entries()) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), file === 'photo.jpg' ? photo : await newPhoto(name.length * 10 + index + 1));
    }
    const script = listCommands(await readPage(name))
      .join('\n')
      .replaceAll('http://127.0.0.1:8080', url)
      .replaceAll('https://authority.example/', `${url}/tsa`);
    const env = { ...environment, ...variables, HOME: folder };
    const run = promisify(execFile)('sh', ['-eu', '-c', script], { cwd: folder, env });
    const { stdout, stderr } = await run;
    let rest = `${stdout}${stderr}`;
    for (const part of output) {
      expect(rest).toMatch(part);
      rest = rest.slice(rest.search(part) + 1);
    }
  });
});

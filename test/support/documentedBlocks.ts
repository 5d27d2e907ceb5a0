// The blocks of code in the documentation, and which test runs each: all blocks of a page, apart from those listed here.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { generatedPages, listPages } from '../../scripts/docsSite/navigation.mjs';
import { pythonVariables } from './python.js';

export interface Block {
  /** Path of the page, from the root of the repository. */
  readonly page: string;
  readonly language: string;
  readonly code: string;
}

/** Languages of blocks that a reader runs. `console` marks a recorded session, whose output stands in the block. */
const programs = new Set(['sh', 'js', 'ts', 'python']);

/** Lists the paths of all pages whose code is written by hand, and of the README. */
export function listSources(): string[] {
  const pages = listPages().filter(({ name }) => !generatedPages.has(name));
  return ['README.md', ...pages.map(({ source }) => source)];
}

export function readSource(path: string): Promise<string> {
  return readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
}

/** Lists the blocks of code on a page, also those in lists, which are indented. */
export async function listBlocks(page: string): Promise<Block[]> {
  const text = await readSource(page);
  return [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^\1```$/gm)].map(([, indent = '', language = '', code = '']) => ({
    page,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** Lists the blocks of a page that its test runs. */
export async function listRunBlocks(page: string): Promise<Block[]> {
  const blocks = (await listBlocks(page)).filter(({ language }) => programs.has(language));
  return blocks.filter((block) => findExceptions(block).length === 0);
}

export function findExceptions({ page, code }: Block): Exception[] {
  return exceptions.filter((exception) => exception.page === page && code.startsWith(exception.start));
}

/** Pages that have a test of their own, which names them. */
export const testedElsewhere: Readonly<Record<string, string>> = {
  'README.md': 'test/quickStart.test.ts',
  'clients/python/README.md': 'test/pythonClient.long.test.ts',
  'docs/cli.md': 'packages/cli/test/examples.test.ts',
  'docs/index.md': 'test/quickStart.test.ts',
  'docs/sdk.md': 'packages/client/test/guide.test.ts',
  'docs/verify-without-us.md': 'test/verifyWithoutUs.long.test.ts',
};

interface Exception {
  readonly page: string;
  /** How the block starts. */
  readonly start: string;
  readonly reason: string;
}

/** Blocks that no test runs as they stand. */
export const exceptions: readonly Exception[] = [
  { page: 'README.md', start: 'npm start', reason: 'start.long.test.ts starts a clone' },
  { page: 'README.md', start: 'npm test', reason: 'it is what runs this test' },
  { page: 'docs/index.md', start: 'npm start', reason: 'start.long.test.ts starts a clone' },
  { page: 'docs/cli.md', start: 'npm run pack', reason: 'packages.long.test.ts installs packed packages' },
  { page: 'docs/sdk.md', start: 'esbuild', reason: 'packages.long.test.ts bundles with the same entries' },
  { page: 'docs/sdk.md', start: 'import wasmPath', reason: 'needs a bundler: packages.long.test.ts' },
  { page: 'clients/python/README.md', start: 'pip install', reason: 'the test installs the wheel that it built' },
  { page: 'docs/chain.md', start: 'export DEPLOYER_PRIVATE_KEY', reason: 'deploys on a public chain' },
  { page: 'docs/chain.md', start: 'npm run deploy', reason: 'chainSetupDeploy.long.test.ts runs the script' },
  { page: 'docs/chain.md', start: 'export RPC_URL', reason: 'registrarCommand.long.test.ts has the same commands' },
  { page: 'docs/chain.md', start: 'provenance-server mirror', reason: 'the tests of the mirror run the command' },
  { page: 'docs/chain.md', start: 'import', reason: 'chainReaders.long.test.ts runs them with a public entry' },
  { page: 'docs/receipts.md', start: 'provenance log monitor', reason: 'examples.test.ts runs it' },
  { page: 'docs/receipts.md', start: 'provenance log witness', reason: 'runs until Ctrl-C: witness.test.ts runs it' },
  {
    page: 'docs/receipts.md',
    start: 'LOG_CONTRACT=',
    reason: 'needs an anchor of the log: logStory.long.test.ts verifies with one',
  },
  { page: 'docs/receipts.md', start: 'provenance verify photo.jpg', reason: 'needs a witness: logStory.long.test.ts' },
  { page: 'packages/contract/README.md', start: 'DEPLOYER_PRIVATE_KEY', reason: 'deploys on a public chain' },
  {
    page: 'docs/if-this-registry-disappears.md',
    start: 'provenance log mirror copy --serve',
    reason: 'runs until Ctrl-C: mirror.test.ts runs it',
  },
  { page: 'docs/integrations/events.md', start: 'curl --no-buffer', reason: 'a stream does not end by itself' },
  { page: 'docs/integrations/events.md', start: 'import os', reason: 'the package is not among those of the tests' },
  { page: 'docs/internals/testing.md', start: 'npm run chaos', reason: 'takes minutes; chaos.long.test.ts is shorter' },
  { page: 'docs/internals/testing.md', start: 'npm run fuzz', reason: 'takes minutes to hours; tests have own seeds' },
  { page: 'docs/internals/testing.md', start: 'PYTHON_MUTANTS', reason: 'takes up to an hour; test:all has fewer' },
  { page: 'docs/operating.md', start: 'apt-get install patroni', reason: 'needs machines with etcd and HAProxy' },
  { page: 'docs/operating.md', start: 'npm start -- reset', reason: 'the tests of accounts run the command' },
  { page: 'docs/operating.md', start: 'pg_dump', reason: 'restore.long.test.ts follows the procedure, without S3' },
  { page: 'docs/operating.md', start: 'createdb', reason: 'restore.long.test.ts follows the procedure, without S3' },
  ...['mkdir -p', 'deploy/backup.sh', 'pg_ctl', 'provenance-server recover'].map((start) => ({
    page: 'docs/operating.md',
    start,
    reason: 'pointInTime.long.test.ts runs it',
  })),
  { page: 'docs/operating.md', start: 'npm run audit', reason: 'the tests of the audit run it with other settings' },
];

export interface RunnablePage {
  /** Paths; `photo.jpg` is registered before. */
  readonly files?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Who registers `photo.jpg`: the user of the page unless told otherwise. */
  readonly registrant?: 'another user';
  /** Texts of the output, in this order. */
  readonly output: readonly (string | RegExp)[];
}

const ownAccount = { PROVENANCE_TOKEN: '', PROVENANCE_MARK: '', PROVENANCE_PASSWORD: 'correct horse battery' };

/** What the blocks of a page need and print. They use programs that `npm test` installs: curl, openssl, pdfsig, Python. */
export const runnablePages: Readonly<Record<string, RunnablePage>> = {
  'docs/guide-creators.md': {
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
  'docs/guide-verifying.md': {
    files: ['photo.jpg', 'incoming/unknown.jpg'],
    output: [
      'Pinned',
      'photo.jpg: verified',
      'exit code 1',
      'This very file',
      'photo.bundle.json',
      'photo.jpg: verified',
    ],
  },
  'docs/accounts.md': {
    files: ['masters/one.jpg'],
    variables: { PROVENANCE_MARK: '' },
    output: [/of 6 in use/, '/invitation#', '1 file: 1 registered', 'one.jpg', 'key.created'],
  },
  'docs/api.md': {
    files: ['dist/release.tar.gz'],
    output: ['submitted', '"status":"submitted"', '"similarityScore":100'],
  },
  'docs/bundles.md': {
    files: ['photo.jpg'],
    variables: pythonVariables,
    output: ['exit code 4', /consistent \d+ 0x/, 'consistent', 'Signature is Valid', 'Fingerprint='],
  },
  'docs/claims.md': { files: ['photo.jpg'], registrant: 'another user', output: ['"kind":"statement"'] },
  'docs/if-this-registry-disappears.md': {
    files: ['photo.jpg'],
    output: ['Pinned', /\d+ leaves, root .*; manifests of \d+ leaves/, 'photo.jpg: verified', 'exit code 1'],
  },
  'docs/integrations/agents.md': { files: ['photos/one.jpg'], output: [] },
  'docs/integrations/events.md': {
    variables: { WEBHOOK_SECRET: `whsec_${Buffer.from('a secret of 24 bytes or more').toString('base64')}` },
    output: ['"type":"mark.created"', '"secret":"whsec_'],
  },
  'docs/lookalikes.md': { files: ['photo.jpg'], output: ['"grade":"near-identical"', '{"lookalikes":'] },
  'docs/lookups.md': {
    files: ['photo.jpg', 'photos/one.jpg'],
    variables: pythonVariables,
    output: ['"match":"artifact"', 'Pinned', /0x\w{64} no/, '"answer":"no"', 'fetched'],
  },
  'docs/manifests.md': { files: ['photo.jpg'], output: ['sha256 Fingerprint=', 'Verification: OK'] },
  'docs/marks.md': { output: ['Ask licensing@example.com.'] },
  'docs/platforms.md': { output: ['"results":[]'] },
  'docs/trust.md': { output: [] },
  'docs/receipts.md': {
    files: ['photo.jpg'],
    output: ['c2sp.org/tlog-proof@v1', 'photo.bundle.json', 'photo.jpg: verified', 'The public log confirms'],
  },
  'packages/contract/README.md': { output: [] },
};

// Which files of a folder are registered: ignore rules, links, names of any bytes, and entries that are not files.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIgnoreRules } from './ignoreRules.js';
import { commonFolder, toBytePath } from './paths.js';
import { type WalkEntry, walk } from './walk.js';

const run = promisify(execFile);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'walk-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function writeFixture(path: string, text = 'x'): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

async function walkAll(names: readonly string[], patterns: readonly string[] = [], excluded: string[] = []) {
  const paths = names.map((name) => ({ name, path: join(folder, name) }));
  const excludedFolders = excluded.map(toBytePath);
  const entries: WalkEntry[] = [];
  for await (const entry of walk({ paths, rules: createIgnoreRules(patterns), excludedFolders })) entries.push(entry);
  return entries;
}

async function walkFiles(names: readonly string[] = ['.'], ...patterns: string[]): Promise<string[]> {
  const entries = await walkAll(names, patterns);
  return entries.flatMap((entry) => (entry.kind === 'file' ? [entry.path.slice(folder.length + 1)] : []));
}

async function walkNonFiles(names: readonly string[] = ['.']): Promise<string[][]> {
  const entries = await walkAll(names);
  return entries.flatMap((entry) =>
    entry.kind === 'file' ? [] : [[entry.kind, basename(entry.displayPath), entry.reason]],
  );
}

describe('a folder', () => {
  it('is walked recursively, in the order of names', async () => {
    for (const path of ['b/c/d/e.txt', 'b/a.txt', 'a.txt', 'z.txt']) await writeFixture(path);
    expect(await walkFiles()).toEqual(['a.txt', 'b/a.txt', 'b/c/d/e.txt', 'z.txt']);
  });

  it('with an empty file and an empty folder has one file', async () => {
    await writeFixture('empty', '');
    await mkdir(join(folder, 'nothing'));
    expect(await walkFiles()).toEqual(['empty']);
  });

  it('skips hidden files, node_modules and files left by programs', async () => {
    const skipped = [
      '.env',
      '.git/config',
      '.DS_Store',
      'node_modules/a.js',
      'b/node_modules/a.js',
      'Thumbs.db',
      'text~',
    ];
    for (const path of [...skipped, 'kept']) await writeFixture(path);
    expect(await walkFiles()).toEqual(['kept']);
  });

  it('includes hidden files that a rule allows', async () => {
    for (const path of ['.well-known/a', '.env']) await writeFixture(path);
    expect(await walkFiles(['.'], '!.well-known/')).toEqual(['.well-known/a']);
    await writeFixture('.provenanceignore', '!.env\n');
    expect(await walkFiles()).toEqual(['.env']);
  });

  it('matches patterns case-sensitively', async () => {
    for (const path of ['a.TMP', 'b.tmp']) await writeFixture(path);
    expect(await walkFiles(['.'], '*.tmp')).toEqual(['a.TMP']);
  });

  it('is not entered if it holds the journals', async () => {
    for (const path of ['state/journal', 'photo']) await writeFixture(path);
    const entries = await walkAll(['.'], [], [join(folder, 'state')]);
    expect(entries.map(({ displayPath }) => basename(displayPath))).toEqual(['photo']);
  });

  it('reports entries that are not files, and does not follow links', async () => {
    await writeFixture('file');
    await symlink('file', join(folder, 'link'));
    await symlink('nowhere', join(folder, 'dangling'));
    await run('mkfifo', [join(folder, 'pipe')]);
    const server = createServer().listen(join(folder, 'socket'));
    await once(server, 'listening');
    const entries = await walkNonFiles();
    server.close();
    await once(server, 'close');
    expect(entries).toEqual([
      ['skipped', 'dangling', 'symbolic link'],
      ['skipped', 'link', 'symbolic link'],
      ['skipped', 'pipe', 'pipe'],
      ['skipped', 'socket', 'socket'],
    ]);
    expect(await walkFiles()).toEqual(['file']);
  });

  it('with circular links is walked once', async () => {
    await writeFixture('a/file');
    await symlink('..', join(folder, 'a', 'up'));
    await symlink('loop', join(folder, 'loop'));
    await symlink(folder, join(folder, 'a', 'again'));
    expect(await walkFiles()).toEqual(['a/file']);
    expect(await walkFiles(['a/again', 'a/up', '.'])).toEqual(['a/file']);
  });

  it('keeps names that are not UTF-8 as they are', async () => {
    const name = Buffer.from([0x61, 0xff, 0xfe, 0x2e, 0x6a, 0x70, 0x67]);
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), name]), 'x');
    const [file] = await walkAll(['.']);
    expect(file).toMatchObject({
      path: `${folder}/${name.toString('latin1')}`,
      displayPath: './a\uFFFD\uFFFD.jpg',
    });
  });

  it('whose ignore file cannot be read is not walked', async () => {
    for (const path of ['a/file', 'b']) await writeFixture(path);
    await mkdir(join(folder, 'a', '.provenanceignore'));
    expect(await walkFiles()).toEqual(['b']);
    expect(await walkNonFiles()).toEqual([['unreadable', 'a', 'its .provenanceignore cannot be read']]);
  });

  it('that is removed during the walk is reported', async () => {
    for (const path of ['a', 'b/c', 'd']) await writeFixture(path);
    const walkOptions = { paths: [{ name: '.', path: folder }], rules: createIgnoreRules([]), excludedFolders: [] };
    const entries: string[] = [];
    for await (const entry of walk(walkOptions)) {
      if (entries.length === 0) await rm(join(folder, 'b'), { recursive: true });
      entries.push(`${entry.kind} ${basename(entry.displayPath)}`);
    }
    expect(entries).toEqual(['file a', 'unreadable b', 'file d']);
  });
});

describe('a named path', () => {
  it('is registered even if a rule ignores it', async () => {
    for (const path of ['.env', 'node_modules/a.js']) await writeFixture(path);
    expect(await walkFiles(['.env', 'node_modules'])).toEqual(['.env', 'node_modules/a.js']);
    expect((await walkFiles(['.', 'node_modules'])).sort()).toEqual(['node_modules/a.js']);
  });

  it('is found once even if it is named several times', async () => {
    for (const path of ['a/b/c', 'a/d']) await writeFixture(path);
    expect((await walkFiles(['a/b', 'a/d', '.', 'a', './a/', 'a/d'])).sort()).toEqual(['a/b/c', 'a/d']);
  });

  it('can be a link to a file, which is registered under the name of the link', async () => {
    await writeFixture('real/file', 'four');
    await symlink('real/file', join(folder, 'link'));
    expect(await walkAll(['link'])).toMatchObject([{ kind: 'file', path: `${folder}/link`, identity: { size: 4 } }]);
  });

  it('that is not a file or does not exist is a failure', async () => {
    await run('mkfifo', [join(folder, 'pipe')]);
    await symlink('loop', join(folder, 'loop'));
    expect(await walkNonFiles(['pipe', 'missing', 'loop'])).toEqual([
      ['unreadable', 'pipe', 'pipe'],
      ['unreadable', 'missing', 'no such file'],
      ['unreadable', 'loop', 'too many levels of symbolic links'],
    ]);
  });

  it('with two names counts as two files', async () => {
    await writeFixture('one');
    await link(join(folder, 'one'), join(folder, 'two'));
    expect(await walkFiles()).toEqual(['one', 'two']);
  });

  it('and others have a common folder, as deep as possible', () => {
    expect(commonFolder(['/a/b', '/a/b/c'])).toBe('/a/b');
    expect(commonFolder(['/a/bc', '/a/b'])).toBe('/a');
    expect(commonFolder(['/a', '/b'])).toBe('/');
    expect(commonFolder(['/a/b/c'])).toBe('/a/b/c');
  });
});

describe('ignore rules', () => {
  const SEED = 20_261_115;
  const TREES = 40;
  const tree = ['x', 'y.txt', 'z.log', 'a/x', 'a/y.txt', 'a/b/x', 'a/b/z.log', 'b/x', 'b/a/x', 'b/[1]/x', 'b/[1]/a/x'];
  const pattern = fc.constantFrom(
    ...['*.log', '!*.log', '*.txt ', 'a/', '/a/', 'a', 'a/*', '!a/x', '!a/', 'x', '!x', '/x', '!/x', 'b/**', '!b/'],
    ...['**/a', 'a/**/x', 'b/a', '**/a/x', '/b/[1]', '[xy]*', '?', '*', '!*/', '# x', '', 'y.*\\ ', '\\x'],
  );
  const rules = fc.array(pattern, { maxLength: 4 });
  // On its command line, git takes blank patterns and comments literally.
  const options = fc.array(
    pattern.filter((text) => !/^(#.*)?$|\s$/.test(text)),
    { maxLength: 4 },
  );

  it('in ignore files and on the command line match as in git', async () => {
    for (const path of tree) await writeFixture(path);
    const repository = join(folder, '.repository');
    await run('git', ['init', '-q', '--bare', repository]);
    const at = [`--git-dir=${repository}`, `--work-tree=${folder}`, '-c', 'core.bare=false'];
    const cases = fc.sample(fc.tuple(rules, rules, rules, options), { numRuns: TREES, seed: SEED });
    for (const [outer, inner, odd, command] of cases) {
      const ignoreFiles = { '.': outer, a: inner, 'b/[1]': odd };
      for (const [inside, lines] of Object.entries(ignoreFiles)) {
        await writeFixture(`${inside}/.provenanceignore`, lines.join('\n'));
      }
      const excludes = command.flatMap((line) => ['-x', line]);
      const { stdout } = await run(
        'git',
        [...at, 'ls-files', '-oz', '--exclude-per-directory=.provenanceignore', ...excludes],
        { cwd: folder },
      );
      const expected = stdout.split('\0').filter((path) => path && !path.includes('/.') && !path.startsWith('.'));
      const matched = (await walkFiles(['.'], ...command)).filter((path) => !path.startsWith('.repository/')).sort();
      expect([ignoreFiles, command, matched]).toEqual([ignoreFiles, command, expected.sort()]);
    }
  });
});

// Which files a folder has to register: ignore rules, links, names of any bytes, and everything that is no file.

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ignoreRules } from '../src/register/ignoreRules.js';
import { bytePath, commonFolder } from '../src/register/paths.js';
import { type Found, walk } from '../src/register/walk.js';

const run = promisify(execFile);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'walk-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text = 'x'): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

async function found(names: readonly string[], patterns: readonly string[] = [], closed: string[] = []) {
  const paths = names.map((name) => ({ name, path: join(folder, name) }));
  const all: Found[] = [];
  for await (const one of walk({ paths, rules: ignoreRules(patterns), closed: closed.map(bytePath) })) all.push(one);
  return all;
}

async function files(names: readonly string[] = ['.'], ...patterns: string[]): Promise<string[]> {
  const all = await found(names, patterns);
  return all.flatMap((one) => (one.kind === 'file' ? [one.path.slice(folder.length + 1)] : []));
}

async function others(names: readonly string[] = ['.']): Promise<string[][]> {
  const all = await found(names);
  return all.flatMap((one) => (one.kind === 'file' ? [] : [[one.kind, basename(one.shown), one.reason]]));
}

describe('a folder', () => {
  it('is walked to its depths, in the order of names', async () => {
    for (const path of ['b/c/d/e.txt', 'b/a.txt', 'a.txt', 'z.txt']) await write(path);
    expect(await files()).toEqual(['a.txt', 'b/a.txt', 'b/c/d/e.txt', 'z.txt']);
  });

  it('with an empty file and an empty folder has one file', async () => {
    await write('empty', '');
    await mkdir(join(folder, 'nothing'));
    expect(await files()).toEqual(['empty']);
  });

  it('leaves out hidden files, code of others and leftovers of programs', async () => {
    const left = ['.env', '.git/config', '.DS_Store', 'node_modules/a.js', 'b/node_modules/a.js', 'Thumbs.db', 'text~'];
    for (const path of [...left, 'kept']) await write(path);
    expect(await files()).toEqual(['kept']);
  });

  it('takes hidden files that a rule lets in', async () => {
    for (const path of ['.well-known/a', '.env']) await write(path);
    expect(await files(['.'], '!.well-known/')).toEqual(['.well-known/a']);
    await write('.provenanceignore', '!.env\n');
    expect(await files()).toEqual(['.env']);
  });

  it('tells upper case from lower case', async () => {
    for (const path of ['a.TMP', 'b.tmp']) await write(path);
    expect(await files(['.'], '*.tmp')).toEqual(['a.TMP']);
  });

  it('is left alone when it holds our own files', async () => {
    for (const path of ['state/journal', 'photo']) await write(path);
    const all = await found(['.'], [], [join(folder, 'state')]);
    expect(all.map(({ shown }) => basename(shown))).toEqual(['photo']);
  });

  it('tells of what is no file, and does not follow links', async () => {
    await write('file');
    await symlink('file', join(folder, 'link'));
    await symlink('nowhere', join(folder, 'dangling'));
    await run('mkfifo', [join(folder, 'pipe')]);
    const server = createServer().listen(join(folder, 'socket'));
    await once(server, 'listening');
    const all = await others();
    server.close();
    await once(server, 'close');
    expect(all).toEqual([
      ['skipped', 'dangling', 'a symbolic link'],
      ['skipped', 'link', 'a symbolic link'],
      ['skipped', 'pipe', 'a pipe'],
      ['skipped', 'socket', 'a socket'],
    ]);
    expect(await files()).toEqual(['file']);
  });

  it('with links in a circle comes to an end', async () => {
    await write('a/file');
    await symlink('..', join(folder, 'a', 'up'));
    await symlink('loop', join(folder, 'loop'));
    await symlink(folder, join(folder, 'a', 'again'));
    expect(await files()).toEqual(['a/file']);
    expect(await files(['a/again', 'a/up', '.'])).toEqual(['a/file']);
  });

  it('keeps names that are not UTF-8 as they are', async () => {
    const name = Buffer.from([0x61, 0xff, 0xfe, 0x2e, 0x6a, 0x70, 0x67]);
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), name]), 'x');
    const [file] = await found(['.']);
    expect(file).toMatchObject({ path: `${folder}/${name.toString('latin1')}`, shown: `${folder}/a\uFFFD\uFFFD.jpg` });
  });

  it('whose rules cannot be read is not walked: they might forbid it', async () => {
    for (const path of ['a/file', 'b']) await write(path);
    await mkdir(join(folder, 'a', '.provenanceignore'));
    expect(await files()).toEqual(['b']);
    expect(await others()).toEqual([['unreadable', 'a', 'the .provenanceignore in it cannot be read']]);
  });

  it('that goes away during the walk is told of', async () => {
    for (const path of ['a', 'b/c', 'd']) await write(path);
    const all: string[] = [];
    for await (const one of walk({ paths: [{ name: '.', path: folder }], rules: ignoreRules([]), closed: [] })) {
      if (all.length === 0) await rm(join(folder, 'b'), { recursive: true });
      all.push(`${one.kind} ${basename(one.shown)}`);
    }
    expect(all).toEqual(['file a', 'unreadable b', 'file d']);
  });
});

describe('what is named', () => {
  it('is taken although rules leave it out', async () => {
    for (const path of ['.env', 'node_modules/a.js']) await write(path);
    expect(await files(['.env', 'node_modules'])).toEqual(['.env', 'node_modules/a.js']);
    expect((await files(['.', 'node_modules'])).sort()).toEqual(['node_modules/a.js']);
  });

  it('is found once, however often it is named', async () => {
    for (const path of ['a/b/c', 'a/d']) await write(path);
    expect((await files(['a/b', 'a/d', '.', 'a', './a/', 'a/d'])).sort()).toEqual(['a/b/c', 'a/d']);
  });

  it('may be a link to a file, which keeps the name of the link', async () => {
    await write('real/file', 'four');
    await symlink('real/file', join(folder, 'link'));
    expect(await found(['link'])).toMatchObject([{ kind: 'file', path: `${folder}/link`, identity: { size: 4 } }]);
  });

  it('and is no file, or not there, is a failure', async () => {
    await run('mkfifo', [join(folder, 'pipe')]);
    await symlink('loop', join(folder, 'loop'));
    expect(await others(['pipe', 'missing', 'loop'])).toEqual([
      ['unreadable', 'pipe', 'a pipe'],
      ['unreadable', 'missing', 'no such file'],
      ['unreadable', 'loop', 'symbolic links go in a circle'],
    ]);
  });

  it('counts as two files when it has two names', async () => {
    await write('one');
    await link(join(folder, 'one'), join(folder, 'two'));
    expect(await files()).toEqual(['one', 'two']);
  });

  it('has one folder that all of it is in, as deep as can be', () => {
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
  // On its command line, git takes blanks and comments as they stand.
  const options = fc.array(
    pattern.filter((text) => !/^(#.*)?$|\s$/.test(text)),
    { maxLength: 4 },
  );

  it('in folders and on the command line mean what they mean to git', async () => {
    for (const path of tree) await write(path);
    const repository = join(folder, '.repository');
    await run('git', ['init', '-q', '--bare', repository]);
    const at = [`--git-dir=${repository}`, `--work-tree=${folder}`, '-c', 'core.bare=false'];
    const cases = fc.sample(fc.tuple(rules, rules, rules, options), { numRuns: TREES, seed: SEED });
    for (const [outer, inner, odd, command] of cases) {
      const ignoreFiles = { '.': outer, a: inner, 'b/[1]': odd };
      for (const [inside, lines] of Object.entries(ignoreFiles)) {
        await write(`${inside}/.provenanceignore`, lines.join('\n'));
      }
      const excludes = command.flatMap((line) => ['-x', line]);
      const { stdout } = await run(
        'git',
        [...at, 'ls-files', '-oz', '--exclude-per-directory=.provenanceignore', ...excludes],
        { cwd: folder },
      );
      const expected = stdout.split('\0').filter((path) => path && !path.includes('/.') && !path.startsWith('.'));
      const ours = (await files(['.'], ...command)).filter((path) => !path.startsWith('.repository/')).sort();
      expect([ignoreFiles, command, ours]).toEqual([ignoreFiles, command, expected.sort()]);
    }
  });
});

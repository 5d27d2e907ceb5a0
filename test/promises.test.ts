// The promises of SECURITY.md: each names a test that holds it, and these tests exist.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readSource } from './support/documentedBlocks.js';

interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** Each promise is an item of a list, on one line. */
async function listPromises(): Promise<string[]> {
  const text = (await readSource('SECURITY.md')).replace(/\n {2}(?=\S)/g, ' ');
  const [, section = ''] = /^## What the service promises\n([\s\S]*?)^## /m.exec(text) ?? [];
  return section.split('\n').filter((line) => line.startsWith('- '));
}

/** A file in backticks, and titles in quotation marks behind it. */
function listTests(promise: string): NamedTest[] {
  return [...promise.matchAll(/`([\w./-]+)` ((?:“[^”]+”(?:, )?)+)/g)].flatMap(([, file = '', titles = '']) =>
    [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ file, title })),
  );
}

const root = new URL('../', import.meta.url);

/** The quick tier of a file, and its long one. */
async function readTests(file: string): Promise<string> {
  const base = /^(?:packages|test|clients)\//.test(file) ? file : `packages/server/test/${file}`;
  const paths = [`${base}.test.ts`, `${base}.long.test.ts`, `${base}.ts`];
  const read = (path: string) => readFile(fileURLToPath(new URL(path, root)), 'utf8').catch(() => '');
  return (await Promise.all(paths.map(read))).join('\n');
}

/** Whether a test or a group of tests has this title, which is the start of a line or follows the name of the function. */
function hasTest(source: string, title: string): boolean {
  const escaped = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "\\\\?'");
  return new RegExp(`(?:\\b(?:it|test|describe)(?:\\.\\w+)*\\(|\\)\\(|^\\s*)\\s*['"\`]${escaped}['"\`],`, 'm').test(
    source,
  );
}

it('Each promise of SECURITY.md names tests that exist', async () => {
  const promises = await listPromises();
  expect(promises.length).toBeGreaterThan(40);
  const missing: unknown[] = [];
  for (const promise of promises) {
    const named = listTests(promise);
    if (named.length === 0) missing.push({ promise, reason: 'names no test' });
    for (const { file, title } of named) {
      if (!hasTest(await readTests(file), title)) missing.push({ file, title });
    }
  }
  expect(missing).toEqual([]);
});

it('A test that is gone or was renamed is noticed', async () => {
  const source = await readTests('security/tokens');
  expect(hasTest(source, 'a token of the provider')).toBe(true);
  expect(hasTest(source, 'a token of the provide')).toBe(false);
  expect(hasTest(source, 'a token of another provider')).toBe(false);
  expect(await readTests('security/nothing')).toBe('\n\n');
});

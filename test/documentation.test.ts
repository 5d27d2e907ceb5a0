// The documentation: every page is in its navigation, and all code on it is run by a test, or there is a reason.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { rootGroup } from '../packages/cli/src/commands/index.js';
import { parsePage, renderPage } from '../scripts/docsSite/markdown.mjs';
import { listPages } from '../scripts/docsSite/navigation.mjs';
import {
  type Block,
  exceptions,
  findExceptions,
  listBlocks,
  listSources,
  readSource,
  runnablePages,
  testedElsewhere,
} from './support/documentedBlocks.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = (await readdir(join(root, 'docs'), { recursive: true }))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.replace('.md', ''));

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

describe('the pages for contributors', () => {
  const roots = ['packages/server/src', 'packages', '.'].map((folder) => join(root, folder));
  const readNamed = async (path: string) => {
    const texts = await Promise.all(roots.map((folder) => readFile(join(folder, path), 'utf8').catch(() => undefined)));
    return texts.find((text) => text !== undefined);
  };

  it('name files and functions that exist', async () => {
    const text = (await readSource('docs/internals/changes.md')).replace(/\s+/g, ' ');
    for (const [, path = '', names = ''] of text.matchAll(/`([\w./-]+\.\w+)`(?:(?:,| \() ?((?:`\w+`[ ✓,;]*)+))?/g)) {
      if (!/\.(?:tsx?|md|ya?ml|env)$/.test(path)) continue;
      const source = await readNamed(path);
      const missing = [...names.matchAll(/\w+/g)].filter(([name]) => !new RegExp(`\\b${name}\\b`).test(source ?? ''));
      expect({ path, exists: source !== undefined, missing: missing.map(String) }).toEqual({
        path,
        exists: true,
        missing: [],
      });
    }
  });
});

describe('the code in the documentation', () => {
  const isRun = (block: Block) =>
    block.page in runnablePages ||
    block.page in testedElsewhere ||
    isHelpExample(block) ||
    findExceptions(block).length > 0;

  it('is run by a test, or there is a reason', async () => {
    const blocks = (await Promise.all(listSources().map(listBlocks))).flat();
    // Data and output have a language of their own, or none.
    const code = blocks.filter(
      ({ language, code: text }) =>
        /^(?:sh|bash|shell|js|ts|tsx?|py|python|mjs)$/.test(language) ||
        (language === '' && /^\$? ?(?:provenance|npm|npx|node|curl|pip|python3?) /m.test(text)),
    );
    expect(code.filter((block) => !isRun(block))).toEqual([]);
    // No exception outlives its block.
    const unused = exceptions.filter(
      ({ page, start }) => !code.some((block) => block.page === page && block.code.startsWith(start)),
    );
    expect(unused).toEqual([]);
  });

  it('has tests that read the pages', async () => {
    for (const [page, test] of Object.entries(testedElsewhere)) {
      expect(await readSource(test)).toContain(page.replace(/^(?:clients|packages)\/\w+\//, ''));
    }
  });
});

const helpExamples = new Set(collectExamples(rootGroup));

/** Whether every line is an example of the command's help, which packages/cli/test/examples.test.ts runs. */
function isHelpExample({ code }: Block): boolean {
  return code
    .trim()
    .split('\n')
    .every((line) => helpExamples.has(line));
}

type Entry = (typeof rootGroup)['commands'][number];

function collectExamples(entry: Entry): string[] {
  return 'commands' in entry ? entry.commands.flatMap(collectExamples) : Object.keys(entry.examples);
}

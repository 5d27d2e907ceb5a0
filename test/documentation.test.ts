// The documentation: every page is in its navigation, and every shell command on it is run by a test, or there is a reason.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parsePage, renderPage } from '../scripts/docsSite/markdown.mjs';
import { listPages } from '../scripts/docsSite/navigation.mjs';
import { listCommands, readPage, runnablePages } from './support/runnablePages.js';

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
  const readSource = async (path: string) => {
    const texts = await Promise.all(roots.map((folder) => readFile(join(folder, path), 'utf8').catch(() => undefined)));
    return texts.find((text) => text !== undefined);
  };

  it.each(['internals/request-flows', 'internals/ten-changes'])(
    'name files and functions that exist: %s',
    async (page) => {
      const text = (await readPage(page)).replace(/\s+/g, ' ');
      for (const [, path = '', names = ''] of text.matchAll(/`([\w./-]+\.\w+)`(?:(?:,| \() ?((?:`\w+`[ ✓,;]*)+))?/g)) {
        if (!/\.(?:tsx?|md|ya?ml|env)$/.test(path)) continue;
        const source = await readSource(path);
        const missing = [...names.matchAll(/\w+/g)].filter(([name]) => !new RegExp(`\\b${name}\\b`).test(source ?? ''));
        expect({ path, exists: source !== undefined, missing: missing.map(String) }).toEqual({
          path,
          exists: true,
          missing: [],
        });
      }
    },
  );
});

/** Pages with tests of their own. */
const testedElsewhere: Readonly<Record<string, string>> = {
  cli: 'packages/cli/test/examples.test.ts',
  'quick-start': 'test/quickStart.test.ts',
  'verify-without-us': 'test/verifyWithoutUs.long.test.ts',
};

/** Pages whose commands no test runs as they stand. */
const notRun: Readonly<Record<string, string>> = {
  audit: 'the tests of the audit start it with settings of their own',
  bundles: 'guide-legal has the same commands',
  chain: 'needs a deployed contract and a tool that is not installed; registrarCommand.long.test.ts runs the command',
  claims: 'needs evidence that is older than the registration, which the tests of claims make',
  downloads: 'tests of the command (examples, filter, filterPython) run these lines after a version is published',
  'integrations/events': 'the examples of the API document have the same calls; a stream does not end',
  'integrations/webhooks': 'needs a receiver; openapi.test.ts creates a webhook in the same way',
  'integrations/agents': 'mcp.test.ts of the command has the same calls, with the official client',
  'internals/chaos': 'takes ten minutes; chaos.long.test.ts runs a short one',
  'internals/fuzzing': 'takes minutes to hours; the suite fuzzes with its own seeds',
  mirror: 'needs the database of a stopped service; the tests of the mirror run the command',
  operating: 'machines with etcd and HAProxy, and S3; restore.long.test.ts follows the procedure',
  sdk: 'packed.long.test.ts bundles with the same entries',
};

it('every page with shell commands is run by a test, or there is a reason', async () => {
  const withCommands = await Promise.all(
    names.map(async (name) => (listCommands(await readPage(name)).length > 0 ? [name] : [])),
  );
  const known = [testedElsewhere, notRun, runnablePages].flatMap((group) => Object.keys(group));
  expect(known.toSorted()).toEqual(withCommands.flat().toSorted());
  for (const [name, test] of Object.entries(testedElsewhere)) {
    expect(await readFile(join(root, test), 'utf8')).toContain(`docs/${name}.md`);
  }
});

// The documentation of the commands' JSON.

import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { rootGroup } from '../src/commands/index.js';
import { listCommands, renderJsonSchema, renderOverview } from '../src/outputSchemas/documents.js';
import { commandOutputs } from '../src/outputSchemas/index.js';
import { checkOutput } from './support/outputChecks.js';

it('covers every command, with an example that fits the schema', () => {
  const commands = listCommands(rootGroup, []).map(({ path }) => path);
  expect(Object.keys(commandOutputs).sort()).toEqual(commands.sort());
  for (const [command, { example }] of Object.entries(commandOutputs)) {
    expect(checkOutput(command.split(' '), example)).toBe(command);
  }
});

it.each([
  ['cli-json.md', renderOverview(rootGroup)],
  ['cli-output.schema.json', renderJsonSchema()],
])('docs/%s is current; npm run docs:cli writes it', async (name, rendered) => {
  const written = await readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
  // The formatter joins short lists.
  const withoutSpace = (text: string) => text.replaceAll(/\s+/g, '');
  expect(withoutSpace(written)).toBe(withoutSpace(rendered));
});

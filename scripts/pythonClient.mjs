// Writes the generated modules of clients/python from the API document: `models.py` (types), `schemas.jsonl` (checks of
// responses), `operations.py` and one method per operation for each client, and the twins of the modules that wait.
// With --check, fails when they are not current instead.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@provenance-registry/core';
import { renderOperations } from './pythonClient/operations.mjs';
import { renderSchemas } from './pythonClient/schemas.mjs';
import { renderTwin } from './pythonClient/twin.mjs';
import { createModels } from './pythonClient/types.mjs';

const folder = fileURLToPath(new URL('../clients/python/provenance_registry', import.meta.url));
const document = openApiDocument('https://registry.example', '');

const models = createModels(document.components.schemas);
// The operations first: they add the types of their own parts to the models.
const { constants, methods, asyncMethods } = renderOperations(document, models);
const renderTwinOf = async (/** @type {string} */ name) =>
  renderTwin(await readFile(join(folder, '_async', name), 'utf8'), name);
const files = {
  'operations.py': constants,
  '_async/operations.py': asyncMethods,
  '_sync/operations.py': methods,
  '_sync/calls.py': await renderTwinOf('calls.py'),
  '_sync/client.py': await renderTwinOf('client.py'),
  'models.py': models.render(),
  'schemas.jsonl': renderSchemas(document),
};

for (const [name, text] of Object.entries(files)) {
  const path = join(folder, name);
  if (!process.argv.includes('--check')) await writeFile(path, text);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`clients/python/provenance_registry/${name} is not current: run npm run docs:python\n`);
    process.exit(1);
  }
}

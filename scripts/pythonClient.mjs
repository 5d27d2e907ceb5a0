// Writes the generated modules of clients/python from the API document: `models.py` (types) and `operations.py` (one method
// per operation). With --check, fails when they are not current instead.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '@provenance-registry/core';
import { renderOperations } from './pythonClient/operations.mjs';
import { createModels } from './pythonClient/types.mjs';

const folder = fileURLToPath(new URL('../clients/python/provenance_registry', import.meta.url));
const document = openApiDocument('https://registry.example', '');

const models = createModels(document.components.schemas);
// The operations first: they add the types of their own parts to the models.
const operations = renderOperations(document, models);
const files = { 'operations.py': operations, 'models.py': models.render() };

for (const [name, text] of Object.entries(files)) {
  const path = join(folder, name);
  if (!process.argv.includes('--check')) await writeFile(path, text);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`clients/python/provenance_registry/${name} is not current: run npm run docs:python\n`);
    process.exit(1);
  }
}

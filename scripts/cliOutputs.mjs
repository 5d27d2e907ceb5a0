// Writes docs/cli-json.md and docs/cli-output.schema.json from the declared outputs of the commands.

import { writeFile } from 'node:fs/promises';
import { rootGroup } from '../packages/cli/dist/commands/index.js';
import { renderJsonSchema, renderOverview } from '../packages/cli/dist/outputSchemas/documents.js';

const docs = new URL('../docs/', import.meta.url);
await writeFile(new URL('cli-json.md', docs), renderOverview(rootGroup));
await writeFile(new URL('cli-output.schema.json', docs), renderJsonSchema());

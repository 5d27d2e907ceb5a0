// Part of `npm run check`: no module imports what the table in ARCHITECTURE.md does not let it import.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findForbiddenImports, readRules } from './importRules.mjs';
import { root } from './prepare.mjs';

const sources = readdirSync(join(root, 'packages')).flatMap((name) => {
  const folder = `packages/${name}/src`;
  const paths = existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    : [];
  return paths.filter((path) => /(?<!\.test)\.tsx?$/.test(path)).map((path) => `${folder}/${path}`);
});
const files = new Map(sources.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const rules = readRules(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));
const forbidden = findForbiddenImports(rules, files);
for (const { file, module, imported } of forbidden) {
  console.error(`${file}: ${module ?? 'a module without a row'} may not import ${imported} (ARCHITECTURE.md)`);
}
process.exitCode = forbidden.length > 0 ? 1 : 0;

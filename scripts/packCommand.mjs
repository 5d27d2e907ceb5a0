// Packs the built `provenance` command into one file for the action for release files, the same bytes for the same sources.
// `npm run pack:action` writes it to `release/` and pins its checksum in the action, which runs no other file; with `--check`, a
// pin that differs is an error.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './prepare.mjs';

const pin = join(root, 'integrations/action/command.json');
const source = join(root, 'packages/cli');
/** Reads signed manifests. The other packages are decoders for look-alikes, which the action does not use. */
const READER = 'node_modules/@contentauth/c2pa-wasm';

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const packed = `${JSON.stringify(packCommand(join(root, 'release')), undefined, 2)}\n`;
  process.stdout.write(packed);
  if (!process.argv.includes('--check')) writeFileSync(pin, packed);
  else if (readFileSync(pin, 'utf8') !== packed) throw new Error(`${pin} pins another file: run npm run pack:action`);
}

/** Writes `provenance-VERSION.tgz` into the folder. @param {string} folder @returns {{ version: string, sha256: string }} */
export function packCommand(folder) {
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const file = join(folder, `provenance-${version}.tgz`);
  mkdirSync(folder, { recursive: true });
  const reproducible = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
  const options = [...reproducible, '--exclude=.built', '--use-compress-program=gzip -n'];
  const contents = ['-C', source, 'package.json', 'bundle', '-C', root, 'LICENSE', READER];
  execFileSync('tar', ['--create', '--file', file, ...options, ...contents]);
  return { version, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') };
}

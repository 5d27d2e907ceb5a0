// What a bundler puts into an application that imports the client.

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { api } from '@provenance-registry/core';
import { build } from 'esbuild';
import { Check } from 'typebox/schema';
import { expect, it } from 'vitest';
import { resultSchemas } from '../src/resultSchemas.generated.js';

const MAX_GZIPPED_BYTES = 15 * 1024;
const packages = fileURLToPath(new URL('../../', import.meta.url));
const source = (path: string) => `${packages}${path}`;

/** The modules that are loaded with `createClient`, before any call, and their size. */
async function bundleClient() {
  const { outputFiles, metafile } = await build({
    stdin: { contents: "export { createClient } from '@provenance-registry/client';", resolveDir: packages },
    alias: {
      '@provenance-registry/chain-client/connectionErrors': source('chain-client/src/connectionErrors.ts'),
      '@provenance-registry/client': source('client/src/index.ts'),
      '@provenance-registry/core': source('core/src/index.ts'),
    },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'browser', target: 'es2022', minify: true },
    ...{ outdir: '/', write: false, metafile: true, absWorkingDir: packages, logLevel: 'silent' },
  });
  const loaded: string[] = [];
  const load = (path: string): void => {
    if (loaded.includes(path)) return;
    loaded.push(path);
    for (const { path: imported, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement') load(imported);
  };
  load(Object.keys(metafile.outputs).find((path) => metafile.outputs[path]?.entryPoint === '<stdin>') ?? '');
  const files = outputFiles.filter(({ path }) => loaded.some((one) => path.endsWith(one.replace(/^(\.\.\/)+/, '/'))));
  const modules = loaded.flatMap((path) =>
    Object.entries(metafile.outputs[path]?.inputs ?? {}).flatMap(([name, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [name] : [],
    ),
  );
  const bytes = files.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  return { modules, bytes, fileCount: files.length, chunkCount: loaded.length };
}

it('the client takes at most 15 KB, without schemas and verification', async () => {
  const { modules, bytes, fileCount, chunkCount } = await bundleClient();
  expect(fileCount).toBe(chunkCount);
  expect(bytes).toBeLessThan(MAX_GZIPPED_BYTES);
  const foreign = modules.filter((name) => !name.startsWith('client/src/') || name.includes('verification'));
  expect(foreign.toSorted()).toEqual([
    // In a chunk that is shared with verification.
    '../node_modules/@noble/hashes/esm/utils.js',
    'chain-client/src/connectionErrors.ts',
    'core/src/errors.ts',
    'core/src/fingerprints/fingerprints.ts',
  ]);
});

it('the schemas that the client loads with the first call accept and refuse what the declared ones do', () => {
  let refused = 0;
  for (const [id, { success }] of Object.entries(api)) {
    const declared = 'schema' in success ? success.schema : undefined;
    const schema = resultSchemas[id as keyof typeof api];
    expect(schema !== undefined, id).toBe(declared !== undefined);
    if (!schema || !declared || !('example' in success)) continue;
    expect(Check(schema, success.example), id).toBe(true);
    for (const damaged of damage(success.example)) {
      const isAccepted = Check(schema, damaged);
      if (isAccepted !== Check(declared, damaged)) expect.fail(`${id}: ${JSON.stringify(damaged)}`);
      if (!isAccepted) refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(500);
});

/** The value with each member at any depth left out, and replaced by something else. */
function damage(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [null, {}];
  if (Array.isArray(value)) return value.flatMap((item, index) => damage(item).map((one) => value.with(index, one)));
  return Object.entries(value).flatMap(([name, member]) => {
    const { [name]: _, ...others }: Record<string, unknown> = { ...value };
    return [others, ...damage(member).map((one) => ({ ...others, [name]: one }))];
  });
}

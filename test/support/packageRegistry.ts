// An npm registry with some tarballs and the packages in node_modules: what users type installs packages without a network.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

const Manifest = Type.Object({ name: Type.String(), version: Type.String() });
const Lock = Type.Object({
  packages: Type.Record(
    Type.String(),
    Type.Object({
      name: Type.Optional(Type.String()),
      version: Type.Optional(Type.String()),
      link: Type.Optional(Type.Boolean()),
    }),
  ),
});

interface Package {
  readonly manifest: Static<typeof Manifest>;
  /** A tarball or a folder; undefined for packages of other platforms. */
  readonly content: string | undefined;
}

const servers = new Set<Server>();
afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

/** Returns the URL of a registry that runs until the end of the test file. */
export async function startPackageRegistry(tarballs: readonly string[]): Promise<string> {
  const packages = [...(await Promise.all(tarballs.map(readTarball))), ...(await listInstalled())];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const [, content] = /^-\/(.*)$/.exec(path) ?? [];
    if (content !== undefined) return sendTarball(content, response);
    const versions = packages.filter(({ manifest }) => manifest.name === path);
    if (versions.length === 0) return response.writeHead(404).end();
    return response.end(JSON.stringify(describePackage(versions, `http://${request.headers.host}`)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.add(server);
  // The server listens on a port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readTarball(content: string): Promise<Package> {
  const { stdout } = await promisify(execFile)('tar', ['-xOf', content, 'package/package.json']);
  return { manifest: Value.Parse(Manifest, JSON.parse(stdout)), content };
}

async function listInstalled(): Promise<Package[]> {
  const lock = Value.Parse(Lock, JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')));
  const entries = Object.entries(lock.packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
  return Promise.all(
    entries.map(async ([path, entry]): Promise<Package> => {
      const content = join(root, path);
      if (!existsSync(content)) {
        const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
        return { manifest: { ...entry, name, version: entry.version ?? '' }, content: undefined };
      }
      const text = await readFile(join(content, 'package.json'), 'utf8');
      return { manifest: Value.Parse(Manifest, JSON.parse(text)), content };
    }),
  );
}

function describePackage(versions: readonly Package[], url: string) {
  const described = versions.map(({ manifest, content }) => [
    manifest.version,
    { ...manifest, dist: { tarball: `${url}/-/${encodeURIComponent(content ?? '')}` } },
  ]);
  const [latest] = versions;
  return {
    name: latest?.manifest.name,
    'dist-tags': { latest: latest?.manifest.version },
    versions: Object.fromEntries(described),
  };
}

function sendTarball(content: string, response: ServerResponse): void {
  const source = content.endsWith('.tgz')
    ? spawn('cat', [content])
    : spawn('tar', ['-c', `--exclude=${basename(content)}/node_modules`, '-C', dirname(content), basename(content)]);
  source.stdout.pipe(response);
}

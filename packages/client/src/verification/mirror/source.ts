// Where a copy of a registry's log and manifests is read from: an address, or whatever else can be asked for files.

import type { RegistryClient } from '../../client.js';
import { undefinedIfNotFound } from '../../lookups/registryRecord.js';

/**
 * A copy of a registry's public log and manifests, such as `provenance log mirror` makes. It is not trusted: what it has counts as
 * far as the signatures in it hold under keys and roots that the caller named.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * const mirror: MirrorSource = { name: 'copy', readFile: (path) => readFile(`copy/${path}`).catch(() => undefined) };
 * ```
 */
export interface MirrorSource {
  /** What it is called in results. */
  readonly name: string;
  /** A file by its path below the address or folder, such as `log/checkpoint`; undefined if there is none. */
  readonly readFile: (path: string, signal?: AbortSignal) => Promise<Uint8Array | undefined>;
}

/**
 * A copy that is served at the address of a client.
 * @example
 * ```ts
 * const mirror = openMirror(createClient({ baseUrl: 'https://mirror.example' }));
 * const { verdict } = await verify(fingerprint, { mirror, logKeys, trustAnchorsPem });
 * ```
 */
export function openMirror({ baseUrl, download }: Pick<RegistryClient, 'baseUrl' | 'download'>): MirrorSource {
  return {
    name: baseUrl,
    readFile: (path, signal) => undefinedIfNotFound(() => download(`${baseUrl}/${path}`, { signal })),
  };
}

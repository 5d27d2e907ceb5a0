// Loads the native library of EDR. The loader of `@nomicfoundation/edr` depends on the packages of all platforms, 36 MB each.

import { createRequire } from 'node:module';

type Edr = typeof import('@nomicfoundation/edr');

/** By platform and architecture as Node names them. */
const packageNames: Record<string, string> = {
  'darwin-arm64': '@nomicfoundation/edr-darwin-arm64',
  'darwin-x64': '@nomicfoundation/edr-darwin-x64',
  'linux-arm64': '@nomicfoundation/edr-linux-arm64-gnu',
  'linux-x64': '@nomicfoundation/edr-linux-x64-gnu',
  'win32-x64': '@nomicfoundation/edr-win32-x64-msvc',
};

/** The version of `@nomicfoundation/edr` in package.json, whose types the library has. */
const VERSION = '0.12.1';

/** Throws an error that says what to install or to set. */
export function loadEdr(platform = `${process.platform}-${process.arch}`): Edr {
  const name = packageNames[platform];
  if (!name) throw new Error(`There is no development chain for ${platform}: set RPC_URL to a node of a chain.`);
  try {
    const library: Edr = createRequire(import.meta.url)(name);
    // A clone has empty packages in place of those for other platforms.
    if (typeof library.EdrContext !== 'function') throw new Error(`${name} is empty.`);
    return library;
  } catch (cause) {
    throw new Error(
      `The development chain needs the package ${name}@${VERSION}. ` +
        'Install it beside the service (npm install --global), or set RPC_URL to a node of a chain.',
      { cause },
    );
  }
}

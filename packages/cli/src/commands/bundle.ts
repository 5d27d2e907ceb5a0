// `bundle`: writes everything needed to verify a file offline.

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { chooseChainNode } from '../chain.js';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import { CommandError, errorCode, FileError } from '../errors.js';
import { readTarget, targetArgument } from '../targets.js';
import { text } from '../text.js';

/** The file name that stands for standard output. */
const STDOUT = '-';

export const bundleCommand = defineCommand({
  name: 'bundle',
  summary: 'save the evidence for offline verification',
  description:
    'Writes a file with the signed manifest, its report, the card, and the on-chain record with its transaction ' +
    "receipt: everything that 'verify --offline' needs without the service.",
  arguments: { target: targetArgument },
  options: {
    output: {
      short: 'o',
      label: 'FILE',
      summary: 'output file; - for standard output (default: FINGERPRINT.bundle.json)',
      completion: 'files',
    },
    force: { kind: 'flag', short: 'f', summary: 'overwrite an existing file' },
  },
  examples: {
    'provenance bundle photo.jpg -o photo.bundle.json': 'Save the evidence for a file',
    'provenance bundle "$FINGERPRINT" --force': 'Replace the bundle of a fingerprint',
  },
  async run(context, { target, output, force }) {
    const { makeBundle } = await import('@provenance-registry/client');
    const { fingerprint } = await readTarget(context, target);
    const client = await connect(context);
    const node = await chooseChainNode(context, client);
    const chain = node && { rpcUrl: node.url, address: node.contract };
    const bundle = await makeBundle(fingerprint, { client, chain, signal: context.signal });
    const hasChainRecord = bundle.chain !== undefined;
    if (output === STDOUT) {
      context.printResult(bundle, text`${JSON.stringify(bundle)}`);
    } else {
      const path = output ?? `${fingerprint}.bundle.json`;
      await writeBundle(resolve(context.cwd, path), path, JSON.stringify(bundle), force);
      const { manifestId } = bundle;
      context.printResult({ file: path, fingerprint, manifestId, hasChainRecord }, text`${path}`);
    }
    if (!hasChainRecord) context.warn('The bundle has no on-chain record yet. Create it again later.');
  },
});

/** Atomic with `force`; otherwise never replaces a file. */
async function writeBundle(path: string, displayName: string, content: string, force: boolean): Promise<void> {
  const draft = force ? `${path}.${randomUUID()}` : path;
  let file: FileHandle;
  try {
    file = await open(draft, 'wx');
  } catch (error) {
    const exists = errorCode(error) === 'EEXIST';
    if (exists) throw new CommandError('FILE_EXISTS', 2, `${displayName} already exists. Use --force to overwrite it.`);
    throw new FileError(displayName, error);
  }
  try {
    await file.writeFile(content);
    await file.close();
    if (force) await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
    throw new FileError(displayName, error);
  }
}

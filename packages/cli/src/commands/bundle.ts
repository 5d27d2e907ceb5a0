// `bundle`: everything that is needed to verify a file later, without the service, in one file.

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { chooseNode } from '../chain.js';
import { command } from '../command.js';
import { connect } from '../connect.js';
import { CommandError, errorCode, FileProblem, systemReason } from '../errors.js';
import { readTarget, STDIN } from '../targets.js';
import { text } from '../text.js';

export const bundleCommand = command({
  name: 'bundle',
  summary: 'keep what is needed to verify later',
  description:
    'Writes a file with the signed manifest, its report, the card, and the record on chain with the receipt of its ' +
    'transaction: all that verify --offline needs when the service is gone.',
  arguments: {
    what: { label: 'FINGERPRINT|FILE', summary: 'a fingerprint, or a file; - is standard input', completion: 'files' },
  },
  options: {
    output: {
      kind: 'text',
      short: 'o',
      label: 'FILE',
      summary: 'where to; - is standard output; FINGERPRINT.bundle.json if nothing is said',
      completion: 'files',
    },
    force: { kind: 'flag', short: 'f', summary: 'overwrite a file that is there' },
  },
  examples: [
    { run: 'provenance bundle photo.jpg -o photo.bundle.json', meaning: 'For a file' },
    { run: 'provenance bundle "$FINGERPRINT" --force', meaning: 'For a fingerprint, anew' },
  ],
  async run(context, { what, output, force }) {
    const { makeBundle } = await import('@provenance-registry/client');
    const { fingerprint } = await readTarget(context, what);
    const client = await connect(context);
    const node = await chooseNode(context, client);
    const chain = node && { rpcUrl: node.url, address: node.contract };
    const bundle = await makeBundle(fingerprint, { client, chain, signal: context.signal });
    if (output === STDIN) {
      context.result(bundle, text`${JSON.stringify(bundle)}`);
    } else {
      const path = output ?? `${fingerprint}.bundle.json`;
      await write(resolve(context.cwd, path), path, JSON.stringify(bundle), force);
      const { manifestId } = bundle;
      context.result(
        { file: path, fingerprint, manifestId, hasChainRecord: bundle.chain !== undefined },
        text`${path}`,
      );
    }
    if (bundle.chain === undefined) context.complain('The bundle has no record of the chain yet: make it again later.');
    return 0;
  },
});

/** Whole or not at all; and in the place of another file only if that is wanted. */
async function write(path: string, name: string, content: string, force: boolean): Promise<void> {
  const draft = force ? `${path}.${randomUUID()}` : path;
  let file: FileHandle;
  try {
    file = await open(draft, 'wx');
  } catch (error) {
    const isThere = errorCode(error) === 'EEXIST';
    if (isThere) throw new CommandError('FILE_EXISTS', 2, `${name} is there already; --force overwrites it.`);
    throw new FileProblem(`${name}: ${systemReason(error)}.`, { cause: error });
  }
  try {
    await file.writeFile(content);
    await file.close();
    if (force) await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(draft, { force: true });
    throw new FileProblem(`${name}: ${systemReason(error)}.`, { cause: error });
  }
}

// `file bundle`: writes everything needed to verify a file offline.

import { resolve } from 'node:path';
import type { Bundle } from '@provenance-registry/client';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError } from '../errors.js';
import { reserveOutput } from '../outputFile.js';
import { readTarget, targetArgument } from '../targets.js';
import { text } from '../text.js';
import { toBytePath } from '../walk/paths.js';

/** The file name that stands for standard output. */
const STDOUT = '-';

const NOT_ON_CHAIN = 'the file is not on chain yet. Create the bundle again later.';
const NO_NODE = 'the service names no node of its chain. Name one with --rpc-url.';

export const bundleCommand = defineCommand({
  name: 'bundle',
  summary: 'save the evidence for offline verification',
  description:
    'Writes a file with the signed manifest, the metadata, the proof of the entry on chain, and the receipt of the public ' +
    "log: everything that 'verify --bundle' needs without the service. Prints the block whose hash proves the entry.",
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
    'provenance file bundle photo.jpg -o photo.bundle.json': 'Save the evidence for a file',
    'provenance file bundle "$FINGERPRINT" --force': 'Replace the bundle of a fingerprint',
  },
  async run(context, { target, output, force }) {
    const { fingerprint } = await readTarget(context, target);
    const { bundle, isNodeKnown } = await collectEvidence(context, fingerprint);
    const block = await findBlock(bundle);
    if (output === STDOUT) {
      context.printResult(bundle, text`${JSON.stringify(bundle)}`);
    } else {
      const path = output ?? `${fingerprint}.bundle.json`;
      const file = await reserveOutput(toBytePath(resolve(context.cwd, path)), path, force);
      await file.save(JSON.stringify(bundle));
      const { manifestId } = bundle;
      context.printResult({ file: path, fingerprint, manifestId, block: block ?? null }, text`${path}`);
    }
    if (block) context.printHint(text`Compare block ${String(block.number)} with an explorer: ${block.hash}`);
    else context.warn(`The bundle has no proof: ${isNodeKnown ? NOT_ON_CHAIN : NO_NODE}`);
  },
});

async function collectEvidence(context: Context, fingerprint: string) {
  const { makeBundle } = await import('@provenance-registry/client');
  const client = await connect(context);
  const { rpcUrl, contract } = await context.loadSettings();
  const progress = context.showProgress({ label: 'Reading receipts', unit: 'files' });
  try {
    const bundle = await makeBundle(fingerprint, {
      client,
      chain: { rpcUrl: rpcUrl?.value, address: contract?.value },
      onProgress: (state) => progress.update(state),
      signal: context.signal,
    });
    const isNodeKnown = rpcUrl !== undefined || (await client.getContract()).rpcUrl !== undefined;
    return { bundle, isNodeKnown };
  } finally {
    progress.end();
  }
}

/** The block of the proof, recomputed from the bundle. A bundle that contradicts itself is not written. */
async function findBlock(bundle: Bundle): Promise<{ readonly number: number; readonly hash: string } | undefined> {
  const { verifyBundle } = await import('@provenance-registry/client');
  const { problems, checks } = await verifyBundle(bundle);
  const [problem] = problems;
  if (problem) throw new CommandError(problem.code, 1, problem.reason);
  const { blockNumber, blockHash } = checks.chain.details;
  return blockNumber === undefined || blockHash === undefined ? undefined : { number: blockNumber, hash: blockHash };
}

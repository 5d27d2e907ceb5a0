// `file filter`: tells offline whether fingerprints are registered, from the registry's signed downloads.

import { join, resolve } from 'node:path';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError, UsageError } from '../errors.js';
import type { ExitCode } from '../exitCode.js';
import { userFolder } from '../files.js';
import type { IndexTrust } from '../filter/signedIndex.js';
import type { UpdateOptions } from '../filter/storedDownloads.js';
import type { DownloadUpdate } from '../outputSchemas/filter.js';
import { toRegistryKey } from '../settings.js';
import { text } from '../text.js';
import { loadTrust, readPin } from '../trust/loadTrust.js';

export const filterCommand = defineCommand({
  name: 'filter',
  summary: 'check many fingerprints offline',
  description:
    'Reads fingerprints from standard input, one a line (also as sha256sum prints them), and prints whether each is ' +
    'registered: "no" is certain as of the last --update, "maybe" is wrong for one in 256. With --exact, "registered" ' +
    'and the AI preferences. Sends no request. With --update, fetches the signed downloads instead of reading anything. ' +
    'Their signature is checked with the roots of a pinned registry, or with --trust-anchors, each time they are used. ' +
    'Exit code 1: the downloads are not what the registry signed; 3: there are none, they are out of date, since the registry ' +
    'should have published newer ones by now, or a line is not a fingerprint.',
  options: {
    update: { kind: 'flag', summary: 'fetch what has changed since the last time' },
    exact: { kind: 'flag', summary: 'use the whole snapshot instead of the filter; with --update, fetch it too' },
    allowOlder: { kind: 'flag', summary: 'with --update: accept downloads that are older than those you have' },
    folder: {
      label: 'FOLDER',
      summary: 'where the downloads are kept; by default in ~/.local/state/provenance',
      completion: 'files',
    },
    jsonLines: { kind: 'flag', summary: 'print one JSON object a line for each fingerprint' },
  },
  examples: {
    'provenance file filter --update --exact': 'Fetch the current filter and the whole snapshot',
    'provenance file filter < fingerprints.txt': 'Which of these fingerprints are maybe registered',
    'sha256sum photos/* | provenance file filter --exact':
      'Which of these files are registered, with their AI preferences',
  },
  async run(context, { update, exact, allowOlder, folder, jsonLines }) {
    if (allowOlder && !update) throw new UsageError('--allow-older requires --update.');
    if (jsonLines && update) throw new UsageError('--json-lines cannot be combined with --update.');
    const trust = await readTrust(context);
    const path = folder === undefined ? await defaultFolder(context, trust.registry) : resolve(context.cwd, folder);
    if (update) {
      return runUpdate(context, { folder: path, trust, hasSnapshot: exact, allowsOlder: allowOlder });
    }
    const { openDownloads } = await import('../filter/storedDownloads.js');
    const stored = await openDownloads(path, trust);
    if (!stored) throw noDownloadsError(exact);
    const { filterLines } = await import('../filter/filterLines.js');
    const { createdAt, filter } = stored.index;
    if (stored.isOutOfDate) context.warn(`The downloads are out of date, as of ${createdAt}: no answer is definite.`);
    else context.printHint(text`As of ${createdAt}: ${filter.count} fingerprints.`);
    const exitCode = await filterLines(context, stored, exact);
    return stored.isOutOfDate ? 3 : exitCode;
  },
});

function noDownloadsError(isExact: boolean): CommandError {
  const command = `provenance file filter --update${isExact ? ' --exact' : ''}`;
  return new CommandError('NO_DOWNLOADS', 3, `There are no downloads of this registry yet: run '${command}'.`);
}

async function readTrust(context: Context): Promise<IndexTrust> {
  const { url } = await context.loadSettings();
  const { trustAnchorsPem, chain } = await loadTrust(context, await readPin(context));
  if (trustAnchorsPem === undefined) {
    throw new CommandError(
      'NO_TRUST',
      3,
      "There are no roots to check the signature with: pin the registry with 'provenance config trust add', or use --trust-anchors.",
    );
  }
  const { chainId, address: contract } = chain;
  return { rootsPem: trustAnchorsPem, registry: toRegistryKey(url.value), chainId, contract, now: new Date() };
}

async function defaultFolder(context: Context, registry: string): Promise<string> {
  const { createHash } = await import('node:crypto');
  const name = createHash('sha256').update(registry).digest('hex').slice(0, 16);
  return join(userFolder(context.env, 'XDG_STATE_HOME', '.local/state'), 'provenance', 'downloads', name);
}

async function runUpdate(context: Context, options: Omit<UpdateOptions, 'signal' | 'onBytes'>): Promise<ExitCode> {
  const client = await connect(context);
  const { jws } = await client.getDownloads();
  const { updateDownloads } = await import('../filter/storedDownloads.js');
  const progress = context.showProgress({ label: 'Fetching', unit: 'bytes' });
  try {
    const { index, isOutOfDate, files, bytes } = await updateDownloads(jws, {
      ...options,
      signal: context.signal,
      onBytes: (done) => progress.update({ done }),
    });
    const { registry, createdAt, filter } = index;
    const { folder } = options;
    const fingerprints = filter.count;
    const result: DownloadUpdate = { registry, createdAt, isOutOfDate, fingerprints, files, bytes, folder };
    context.printResult(
      result,
      text`${isOutOfDate ? 'Out of date: ' : ''}${fingerprints} fingerprints as of ${createdAt}; fetched ${files} files (${bytes} bytes).`,
    );
    return isOutOfDate ? 3 : 0;
  } finally {
    progress.end();
  }
}

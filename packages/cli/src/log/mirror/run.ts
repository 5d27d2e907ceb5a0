// `log mirror`: copies once, or follows its source until Ctrl-C and serves the copy meanwhile.

import { resolve } from 'node:path';
import { shortFingerprint } from '@provenance-registry/core';
import type { Context } from '../../context.js';
import { acquireLock } from '../../register/lock.js';
import { type Text, text } from '../../text.js';
import { loadTrust, readPin } from '../../trust/loadTrust.js';
import { parseNamedPolicy } from '../policy.js';
import { openLog, openLogSource, sourceOptions } from '../source.js';
import { type CopyState, Mirror } from './mirror.js';
import { serveCopy } from './serve.js';

export interface RunOptions {
  readonly folder: string;
  readonly from: string | undefined;
  /** Undefined: once. */
  readonly everyMs: number | undefined;
  readonly serve: number | undefined;
  readonly host: string;
  readonly isLogOnly: boolean;
}

export async function runMirror(context: Context, options: RunOptions): Promise<void> {
  const { folder, everyMs, serve, host, isLogOnly } = options;
  const { signal } = context;
  const from = options.from ?? (await context.loadSettings()).url.value;
  const path = resolve(context.cwd, folder);
  const release = await acquireLock(path, `Another command copies into ${folder} already.`);
  try {
    const mirror = await Mirror.open({
      folder: path,
      log: openLog(from, sourceOptions(context)),
      source: openLogSource(from, sourceOptions(context)),
      policy: parseNamedPolicy(await loadTrust(context, await readPin(context))),
      isLogOnly,
      signal,
      note: (line) => context.printNote(text`${line}`),
      startProgress: (label) => context.showProgress({ label, unit: 'files' }),
    });
    const served = serve === undefined ? undefined : await serveCopy(path, { host, port: serve, signal });
    if (served) context.printNote(text`Serving ${folder} at ${served.url}`);
    const print = (state: CopyState) =>
      context.printResult({ folder, source: from, url: served?.url ?? null, ...state }, describe(state));
    if (everyMs === undefined) {
      await mirror.copyRound();
      return print(await mirror.readState());
    }
    let isPrinted = false;
    await mirror.follow(everyMs, (state, isGrown) => {
      if (!isPrinted) print(state);
      else if (isGrown) context.printNote(describe(state));
      isPrinted = true;
    });
  } finally {
    await release();
  }
}

function describe({ origin, size, root, manifests, fingerprint }: CopyState): Text {
  const counted = manifests
    ? `; manifests of ${manifests.present} leaves${manifests.missing > 0 ? `, of ${manifests.missing} not there yet` : ''}`
    : '';
  const whose = fingerprint === null ? '' : `, registry ${shortFingerprint(fingerprint)}`;
  return text`${origin ?? 'No log'}: ${String(size)} leaves, root ${root ?? 'none'}${counted}${whose}`;
}

// `log mirror`: copies once, or follows its source until Ctrl-C and serves the copy meanwhile.

import { resolve } from 'node:path';
import { shortFingerprint } from '@provenance-registry/core';
import { formatPolicy, type LogPolicy, parsePolicy } from '@provenance-registry/log';
import type { Context } from '../../context.js';
import { acquireLock } from '../../register/lock.js';
import { type Text, text } from '../../text.js';
import { loadTrust, readPin } from '../../trust/loadTrust.js';
import { type CopyState, openMirrorFolder } from './mirror.js';
import { serveCopy } from './serve.js';
import { openSource } from './source.js';

export interface RunOptions {
  readonly folder: string;
  readonly from: string | undefined;
  readonly once: boolean;
  readonly everyMs: number;
  readonly serve: number | undefined;
  readonly host: string;
  readonly isLogOnly: boolean;
}

export async function runMirror(context: Context, options: RunOptions): Promise<void> {
  const { folder, from, once, everyMs, serve, host, isLogOnly } = options;
  const { signal } = context;
  const { url } = await context.loadSettings();
  const path = resolve(context.cwd, folder);
  const release = await acquireLock(path, `Another command copies into ${folder} already.`);
  try {
    const mirror = await openMirrorFolder({
      folder: path,
      source: openSource(context, from ?? url.value),
      policy: await readNamedPolicy(context),
      isLogOnly,
      signal,
      note: (line) => context.printNote(text`${line}`),
      startProgress: (label) => context.showProgress({ label, unit: 'files' }),
    });
    const served = serve === undefined ? undefined : await serveCopy(path, { host, port: serve, signal });
    if (served) context.printNote(text`Serving ${folder} at ${served.url}`);
    const print = (state: CopyState) =>
      context.printResult({ folder, source: from ?? url.value, url: served?.url ?? null, ...state }, describe(state));
    if (once) {
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

/** Undefined: the user knows no key of the log. */
async function readNamedPolicy(context: Context): Promise<LogPolicy | undefined> {
  const { policy, logKeys } = await loadTrust(context, await readPin(context));
  const named = policy ?? (logKeys && formatPolicy(logKeys));
  return named === undefined ? undefined : parsePolicy(named);
}

function describe({ origin, size, root, manifests, fingerprint }: CopyState): Text {
  const counted = manifests
    ? `; manifests of ${manifests.present} leaves${manifests.missing > 0 ? `, of ${manifests.missing} not there yet` : ''}`
    : '';
  const whose = fingerprint === null ? '' : `, registry ${shortFingerprint(fingerprint)}`;
  return text`${origin ?? 'No log'}: ${String(size)} leaves, root ${root ?? 'none'}${counted}${whose}`;
}

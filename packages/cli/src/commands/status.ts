// `status`: the registration status of files, or the state of the service that watches folders.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact, Fingerprint } from '@provenance-registry/core';
import { defineCommand } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError, UsageError } from '../errors.js';
import { type ExitCode, worstExitCode } from '../exitCode.js';
import { readTarget } from '../targets.js';
import { formatList, green, type Piece, red, yellow } from '../text.js';
import { toCommandError } from '../toCommandError.js';

const TARGET_ERROR_CODES = new Set(['NOT_FOUND', 'FILE_PROBLEM', 'FILE_CHANGED']);

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'show the status of files, or of the watching service',
  description:
    'Shows the status of Artifacts: pending, submitting, submitted (confirmed on chain) or failed. Exit code 1: one of ' +
    'them failed or is not registered. With --wait, exit code 3: not finished before the timeout. Signed copies of a file ' +
    'are listed below it. Without arguments, shows whether the service that watches folders runs, and what it registered, ' +
    'waits for and could not register. Exit code 1 then: it does not run, or something needs your attention. 3: it runs, ' +
    'but does not report.',
  arguments: {
    targets: {
      label: 'FINGERPRINT|FILE',
      summary: 'fingerprints or files; - for standard input',
      optional: true,
      many: true,
      completion: 'files',
    },
  },
  options: {
    wait: { kind: 'flag', short: 'w', summary: 'wait until all are submitted or failed' },
    timeout: { kind: 'integer', label: 'SECONDS', summary: 'with --wait: stop waiting after this time' },
  },
  examples: {
    'provenance status "$FINGERPRINT"': 'Status of a fingerprint',
    'provenance status --wait photo.jpg': 'Wait until the file is on chain',
    'provenance status': 'State of the service that watches folders',
  },
  async run(context, { targets: names, wait, timeout }) {
    if (names.length === 0) {
      if (wait) throw new UsageError('--wait requires a fingerprint or a file.', ['status']);
      const { showServiceStatus } = await import('../watch/status.js');
      return showServiceStatus(context);
    }
    const client = await connectLoggedIn(context);
    const fingerprints: (Fingerprint | CommandError)[] = [];
    for (const name of names) {
      fingerprints.push(await catchTargetError(readTarget(context, name).then((target) => target.fingerprint)));
    }
    const reader = wait
      ? await createWaitingReader(context, client, names.length, timeout)
      : { read: (fingerprint: Fingerprint) => client.getArtifact({ fingerprint }), close() {} };
    const { findRegistration } = await import('@provenance-registry/client');
    const results: (Artifact | CommandError)[] = [];
    try {
      for (const fingerprint of fingerprints) {
        const isError = fingerprint instanceof CommandError;
        results.push(isError ? fingerprint : await catchTargetError(reader.read(fingerprint)));
      }
    } finally {
      reader.close();
    }
    context.printResult(
      results.map((result, index) => (result instanceof CommandError ? errorJson(names[index], result) : result)),
      formatList(
        ['FINGERPRINT', 'STATUS', 'TRANSACTION'],
        results.flatMap((result, index) => formatRows(names[index] ?? '', result, fingerprints[index])),
      ),
    );
    return worstExitCode(
      results.map((result, index) => {
        const fingerprint = fingerprints[index];
        if (result instanceof CommandError || typeof fingerprint !== 'string') return exitCodeFor(result, wait);
        return exitCodeFor(findRegistration(result, fingerprint) ?? result, wait);
      }),
    );
  },
});

/** Waiting for one Artifact after the other takes no longer: all are processed meanwhile. */
async function createWaitingReader(
  context: Context,
  client: RegistryClient,
  total: number,
  timeout: number | undefined,
) {
  const { waitForStatus } = await import('@provenance-registry/client');
  const progress = context.showProgress({ label: 'Waiting', unit: 'files', total });
  const deadline = timeout === undefined ? undefined : performance.now() + timeout * 1000;
  let done = 0;
  return {
    async read(fingerprint: Fingerprint): Promise<Artifact> {
      const artifact = await waitForStatus(client, fingerprint, {
        timeoutMs: deadline === undefined ? undefined : Math.max(0, deadline - performance.now()),
        signal: context.signal,
        onStatus: (status) => progress.update({ done, detail: `${fingerprint.slice(0, 10)}… ${status}` }),
      });
      done += 1;
      return artifact;
    },
    close: () => progress.end(),
  };
}

/** Errors of one target are part of the result; errors of the service end the command. */
async function catchTargetError<T>(work: Promise<T>): Promise<T | CommandError> {
  try {
    return await work;
  } catch (error) {
    const commandError = await toCommandError(error);
    if (TARGET_ERROR_CODES.has(commandError.code)) return commandError;
    throw error;
  }
}

function exitCodeFor(result: Pick<Artifact, 'status'> | CommandError, wait: boolean): ExitCode {
  if (result instanceof CommandError) return result.exitCode;
  if (result.status === 'failed') return 1;
  return wait && (result.status === 'pending' || result.status === 'submitting') ? 3 : 0;
}

/** The requested file, then the others of its Artifact: the original and its signed copies. */
function formatRows(
  name: string,
  result: Artifact | CommandError,
  requested: Fingerprint | CommandError | undefined,
): (readonly Piece[])[] {
  if (result instanceof CommandError) return [[name, red('unknown'), result.message]];
  const { renditions, ...original } = result;
  const files = [
    { ...original, role: 'original' },
    ...renditions.map((copy) => ({ ...copy, role: 'signed copy', errorReason: null })),
  ];
  const isRequested = ({ fingerprint }: { fingerprint: Fingerprint }) => fingerprint === requested;
  const [first] = files.filter(isRequested);
  const others = files.filter((file) => file !== first);
  return [...(first ? [{ ...first, role: '' }] : []), ...others].map(
    ({ fingerprint, status, transactionHash, errorReason, role }) => [
      role === '' ? fingerprint : `  ${role} ${fingerprint}`,
      status === 'failed' ? red(status) : status === 'submitted' ? green(status) : yellow(status),
      errorReason ?? transactionHash ?? '',
    ],
  );
}

function errorJson(name: string | undefined, { code, message }: CommandError) {
  return { name, error: message, code };
}

// `file status`: the registration status of files.

import type { Artifact, Fingerprint } from '@provenance-registry/core';
import { defineCommand } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import { CommandError } from '../errors.js';
import type { ExitCode } from '../exitCode.js';
import { concurrencyOption, fileArgument, inputOptions } from '../inputs/options.js';
import { hashInput } from '../targets.js';
import { green, joinLines, padText, red, type Text, text, yellow } from '../text.js';
import { toCommandError } from '../toCommandError.js';

/** Each file takes one request. */
const DEFAULT_CONCURRENCY = 8;
const STATUS_COLUMNS = 10;

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'show the registration status of files',
  description:
    'Shows the status of files: pending, submitting, submitted (confirmed on chain) or failed. Exit code 1: one of them ' +
    'failed or is not registered. With --wait, exit code 3: not finished before the timeout. Signed copies of a file are ' +
    'listed below it.',
  arguments: { files: fileArgument('files, folders or fingerprints; - for standard input') },
  options: {
    wait: { kind: 'flag', short: 'w', summary: 'wait until all are submitted or failed' },
    timeout: { kind: 'integer', label: 'SECONDS', summary: 'with --wait: stop waiting after this time' },
    ...inputOptions,
    concurrency: concurrencyOption(DEFAULT_CONCURRENCY),
  },
  examples: {
    'provenance file status "$FINGERPRINT"': 'Status of a fingerprint',
    'provenance file status --wait photo.jpg': 'Wait until the file is on chain',
  },
  async run(context, { wait, timeout, ...values }) {
    const { signal } = context;
    const client = await connectLoggedIn(context);
    const { runOverInputs } = await import('../inputs/run.js');
    const { findRegistration, waitForStatus } = await import('@provenance-registry/client');
    const deadline = performance.now() + (timeout ?? Number.POSITIVE_INFINITY) * 1000;

    async function readArtifact(fingerprint: Fingerprint): Promise<Artifact> {
      if (!wait) return client.getArtifact({ fingerprint });
      const timeoutMs = timeout === undefined ? undefined : Math.max(0, deadline - performance.now());
      return waitForStatus(client, fingerprint, { timeoutMs, signal });
    }

    const { exitCode } = await runOverInputs<FileStatus>(context, values, {
      defaultConcurrency: DEFAULT_CONCURRENCY,
      takesFingerprints: true,
      progress: { label: wait ? 'Waiting' : 'Reading', unit: 'files' },
      async process(input, onBytes) {
        const fingerprint = await hashInput(context, input, onBytes);
        try {
          const artifact = await readArtifact(fingerprint);
          return { artifact, fingerprint, status: (findRegistration(artifact, fingerprint) ?? artifact).status };
        } catch (error) {
          const { code, message, exitCode: failure } = await toCommandError(error);
          // What concerns one file is a part of the result; what else fails ends the command.
          throw code === 'NOT_FOUND' ? new CommandError(code, failure, `${input.name}: ${message}`) : error;
        }
      },
      outcomeOf: ({ status }) => status,
      exitCodeOf: ({ status }) => exitCodeFor(status, wait),
      formats: {
        toText: (_, result) => joinLines(formatLines(result)),
        toJson: (file, { artifact }) => ({ file, ...artifact }),
        csvColumns: ['fingerprint', 'status', 'transactionHash'],
        toCells: ({ fingerprint, status, artifact }) => [fingerprint, status, artifact.transactionHash],
      },
    });
    return exitCode;
  },
});

interface FileStatus {
  readonly artifact: Artifact;
  /** Fingerprint of the file, which may be a signed copy. */
  readonly fingerprint: Fingerprint;
  readonly status: Artifact['status'];
}

function exitCodeFor(status: Artifact['status'], wait: boolean): ExitCode {
  if (status === 'failed') return 1;
  return wait && (status === 'pending' || status === 'submitting') ? 3 : 0;
}

/** The file, then the others of its Artifact: the original and its signed copies. */
function formatLines({ artifact: { renditions, ...original }, fingerprint: requested }: FileStatus): Text[] {
  const files = [
    { ...original, role: 'original' },
    ...renditions.map((copy) => ({ ...copy, role: 'signed copy', errorReason: null })),
  ];
  const isRequested = ({ fingerprint }: { fingerprint: Fingerprint }) => fingerprint === requested;
  return files
    .toSorted((one, other) => Number(isRequested(other)) - Number(isRequested(one)))
    .map(({ fingerprint, status, transactionHash, errorReason, role }) => {
      const name = fingerprint === requested ? fingerprint : `  ${role} ${fingerprint}`;
      const color = status === 'failed' ? red : status === 'submitted' ? green : yellow;
      return text`${name}  ${padText(color(status), STATUS_COLUMNS)}  ${errorReason ?? transactionHash ?? ''}`;
    });
}

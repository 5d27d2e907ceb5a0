// `status`: how far registrations have come on their way to the chain.

import type { RegistryClient } from '@provenance-registry/client';
import type { Artifact, Fingerprint } from '@provenance-registry/core';
import { command, type ExitCode } from '../command.js';
import { connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError } from '../errors.js';
import { asCommandError } from '../explain.js';
import { readTarget } from '../targets.js';
import { green, list, type Piece, red, yellow } from '../text.js';

export const statusCommand = command({
  name: 'status',
  summary: 'how far registrations have come',
  description:
    'Shows the status of Artifacts: pending, submitting, then submitted, which means that the chain has it, or failed. ' +
    'Exit code 1: one of them failed or is not registered. With --wait, 3: it was still under way when the time was over.',
  arguments: {
    what: {
      label: 'FINGERPRINT|FILE',
      summary: 'fingerprints, or files; - is standard input',
      many: true,
      completion: 'files',
    },
  },
  options: {
    wait: { kind: 'flag', short: 'w', summary: 'wait until the chain has them, or they failed' },
    timeout: { kind: 'integer', label: 'SECONDS', summary: 'with --wait: no longer than this' },
  },
  examples: [
    { run: 'provenance status "$FINGERPRINT"', meaning: 'The status of an Artifact' },
    { run: 'provenance status --wait photo.jpg', meaning: 'Wait until the chain has it' },
  ],
  async run(context, { what, wait, timeout }) {
    const client = await connectLoggedIn(context);
    const targets: (Fingerprint | CommandError)[] = [];
    for (const name of what)
      targets.push(await orProblem(readTarget(context, name).then((target) => target.fingerprint)));
    const look = wait ? await waiter(context, client, targets.length, timeout) : reader(client);
    const answers: (Artifact | CommandError)[] = [];
    try {
      for (const target of targets)
        answers.push(typeof target === 'string' ? await orProblem(look.one(target)) : target);
    } finally {
      look.end();
    }
    context.result(
      answers.map((answer, index) => (answer instanceof CommandError ? problemJson(what[index], answer) : answer)),
      list(
        ['FINGERPRINT', 'STATUS', 'TRANSACTION'],
        answers.map((answer, index) => row(what[index] ?? '', answer)),
      ),
    );
    const codes = answers.map((answer) => exitCodeOf(answer, wait));
    return codes.includes(1) ? 1 : codes.includes(3) ? 3 : 0;
  },
});

interface Look {
  one(fingerprint: Fingerprint): Promise<Artifact>;
  end(): void;
}

function reader(client: RegistryClient): Look {
  return { one: (fingerprint) => client.getArtifact({ fingerprint }), end() {} };
}

/** One after the other: while one is waited for, the others go on as well. */
async function waiter(
  context: Context,
  client: RegistryClient,
  total: number,
  timeout: number | undefined,
): Promise<Look> {
  const { waitForStatus } = await import('@provenance-registry/client');
  const progress = context.progress({ label: 'Waiting', unit: 'files', total });
  const end = timeout === undefined ? undefined : performance.now() + timeout * 1000;
  let done = 0;
  return {
    async one(fingerprint) {
      const artifact = await waitForStatus(client, fingerprint, {
        timeoutMs: end === undefined ? undefined : Math.max(0, end - performance.now()),
        signal: context.signal,
        onStatus: (status) => progress.update({ done, detail: `${fingerprint.slice(0, 10)}… ${status}` }),
      });
      done += 1;
      return artifact;
    },
    end: () => progress.end(),
  };
}

async function orProblem<T>(work: Promise<T>): Promise<T | CommandError> {
  try {
    return await work;
  } catch (error) {
    const problem = await asCommandError(error);
    // What concerns the service as a whole would be said once for every one of them.
    if (problem.code === 'NOT_FOUND' || problem.code === 'FILE_PROBLEM' || problem.code === 'FILE_CHANGED')
      return problem;
    throw error;
  }
}

function exitCodeOf(answer: Artifact | CommandError, wait: boolean): ExitCode {
  if (answer instanceof CommandError) return answer.exitCode;
  if (answer.status === 'failed') return 1;
  return wait && (answer.status === 'pending' || answer.status === 'submitting') ? 3 : 0;
}

function row(name: string, answer: Artifact | CommandError): readonly Piece[] {
  if (answer instanceof CommandError) return [name, red('unknown'), answer.message];
  const { fingerprint, status, transactionHash, errorReason } = answer;
  const shown = status === 'failed' ? red(status) : status === 'submitted' ? green(status) : yellow(status);
  return [fingerprint, shown, errorReason ?? transactionHash ?? ''];
}

function problemJson(name: string | undefined, { code, message }: CommandError) {
  return { name, error: message, code };
}

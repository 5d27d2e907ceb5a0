// `log`: what others than the operator can do with the public log of a registry.

import { resolve } from 'node:path';
import { type CommandGroup, defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { text } from '../text.js';
import { intervalOptions, readIntervalMs } from './logInterval.js';
import { monitorCommand } from './logMonitor.js';

const DEFAULT_PORT = 8_650;

const witnessCommand = defineCommand({
  name: 'witness',
  summary: 'sign the checkpoints of public logs as a witness',
  description:
    'Runs a witness (c2sp.org/tlog-witness): it signs each checkpoint of these logs that extends what it has signed before, ' +
    'and no other, so that a log cannot show two histories to people who trust the witness. It prints its verifier key and the ' +
    'line for policy files, and runs until Ctrl-C. Its key and what it has signed are in a folder: a witness whose folder is lost ' +
    'must begin anew, under another name. Put a server with HTTPS before it to be reached from outside. Exit code 3: the folder is in use or ' +
    'damaged, or the port is taken.',
  options: {
    name: { label: 'NAME', summary: 'name in its key, such as witness.example/w1' },
    log: { label: 'KEY', summary: 'verifier key of a log to sign for', many: true },
    folder: { label: 'FOLDER', summary: 'key and state; default: witness', completion: 'files' },
    host: { label: 'ADDRESS', summary: 'address to listen on; default: 127.0.0.1' },
    port: {
      kind: 'integer',
      range: [0, 65_535],
      label: 'PORT',
      summary: `port to listen on; default: ${DEFAULT_PORT}`,
    },
  },
  finishesOnInterrupt: true,
  examples: {
    'provenance log witness --name witness.example/w1 --log "$LOG_KEY" --port 8650': 'Be the witness of a registry',
  },
  async run(context, { name, log: keys = [], folder = 'witness', host = '127.0.0.1', port = DEFAULT_PORT }) {
    if (name === undefined) throw new UsageError('The witness needs a name: --name NAME.');
    if (keys.length === 0) throw new UsageError('The witness needs the key of a log: --log KEY.');
    const { LogFormatError, formatVerifierKey, parseVerifierKey } = await import('@provenance-registry/log');
    const { acquireLock } = await import('../register/lock.js');
    const { createWitness, serveWitness } = await import('../log/witness.js');
    const { openWitnessState } = await import('../log/witnessState.js');
    const logKeys = keys.map((key) => {
      try {
        const parsed = parseVerifierKey(key);
        if (parsed.kind === 'log') return parsed;
      } catch (error) {
        if (!(error instanceof LogFormatError)) throw error;
      }
      throw new UsageError(`'${key}' is not the verifier key of a log (name+id+key).`);
    });
    const path = resolve(context.cwd, folder);
    const release = await acquireLock(path, `A witness runs with ${folder} already.`);
    try {
      const origins = [...new Set(logKeys.map((key) => key.name))];
      const state = await openWitnessState(path, name, origins).catch((error: unknown) => {
        throw error instanceof LogFormatError ? new UsageError(`--name: ${error.message}`) : error;
      });
      const log = (line: string) => context.printNote(text`${line}`);
      const witness = createWitness({ state, logKeys, log });
      const { url, ended } = await serveWitness(witness, { host, port, signal: context.signal, log });
      const verifierKey = formatVerifierKey(state.signer.key);
      const policyLine = `witness ${name} ${verifierKey} ${url}`;
      context.printResult(
        { verifierKey, url, logs: origins, policyLine },
        text`Verifier key  ${verifierKey}
Listening at  ${url}
Line for policy files, with the address at which logs reach it:
  ${policyLine}`,
      );
      await ended;
    } finally {
      await release();
    }
  },
});

const mirrorCommand = defineCommand({
  name: 'mirror',
  summary: 'keep a copy of a public log and its manifests',
  description:
    'Copies the public log of a registry, and the signed manifests that it names, into a folder, so that they outlive the ' +
    'registry: provenance verify --mirror answers from the copy alone. Every file is checked before the copy has it: leaves and ' +
    'tiles against the signed checkpoint, manifests against their leaves. What contradicts the copy is refused and kept as ' +
    'evidence. The key of the log is that of --log-key or of the pin; else the one that the registry states, which has to have ' +
    'the roots of the first time from then on. The command goes on until Ctrl-C, and can be killed at any moment: started again, it checks the copy, ' +
    'completes it and goes on. A manifest that is not there yet is asked for again, and counted. ' +
    'Exit code 1: the source contradicts the copy, itself, or the key; 3: it cannot be read, or the folder is in use.',
  arguments: { folder: { label: 'FOLDER', summary: 'of the copy', completion: 'files' } },
  options: {
    from: { label: 'URL|FOLDER', summary: 'another copy to read, instead of the registry', completion: 'files' },
    ...intervalOptions,
    serve: { kind: 'integer', range: [0, 65_535], label: 'PORT', summary: 'serve the copy, as files, to everyone' },
    host: { label: 'ADDRESS', summary: 'address to serve on; default: 127.0.0.1' },
    logOnly: { kind: 'flag', summary: 'leave the manifests out' },
  },
  finishesOnInterrupt: true,
  examples: {
    'provenance log mirror copy --serve 8651': 'Keep a copy and serve it',
    'provenance log mirror copy --once': 'Copy what is new, from cron',
  },
  async run(context, { folder, from, once, every, serve, host = '127.0.0.1', logOnly }) {
    const everyMs = readIntervalMs({ once, every });
    if (once && serve !== undefined) throw new UsageError('--once ends, and --serve does not: leave one of them out.');
    const { runMirror } = await import('../log/mirror/run.js');
    return runMirror(context, { folder, from, everyMs, serve, host, isLogOnly: logOnly });
  },
});

export const logGroup: CommandGroup = {
  name: 'log',
  summary: 'watch over the public log of a registry',
  description: 'What others than its operator do so that the public log of a registry cannot show two histories.',
  commands: [witnessCommand, monitorCommand, mirrorCommand],
};

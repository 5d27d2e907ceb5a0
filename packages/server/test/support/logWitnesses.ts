// Witnesses of the public log, as partners run them, on loopback.

import { formatVerifierKey, parsePolicy, type VerifierKey } from '@provenance-registry/log';
import { onTestFinished } from 'vitest';
import { newDataFolder } from '../../../../test/support/service.js';
import { createWitness, serveWitness } from '../../../cli/src/log/witness.js';
import { openWitnessState } from '../../../cli/src/log/witnessState.js';
import type { LogFiles } from '../../src/domain/ports/index.js';
import { CheckpointWitnesses, type WitnessPolicy } from '../../src/publicLog/witnesses.js';

export interface RunningWitness {
  readonly key: VerifierKey;
  /** As policies have it. */
  readonly line: string;
  readonly url: string;
  /** What it has done. */
  readonly lines: readonly string[];
  readonly stop: () => Promise<void>;
  /** Another process with the same folder at the same port. */
  readonly restart: () => Promise<void>;
}

export async function startWitness(name: string, logKeys: readonly VerifierKey[]): Promise<RunningWitness> {
  const folder = await newDataFolder();
  const origins = [...new Set(logKeys.map((key) => key.name))];
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  let port = 0;

  async function start() {
    const state = await openWitnessState(folder, name, origins);
    const controller = new AbortController();
    const witness = createWitness({ state, logKeys, log });
    const { url, ended } = await serveWitness(witness, { host: '127.0.0.1', port, signal: controller.signal, log });
    port = Number(new URL(url).port);
    const stop = async () => {
      controller.abort();
      await ended;
    };
    return { key: state.signer.key, url, stop };
  }

  let { key, url, stop } = await start();
  let restarted = Promise.resolve();
  onTestFinished(async () => {
    await restarted;
    await stop();
  });
  return {
    key,
    url,
    line: `witness ${name} ${formatVerifierKey(key)} ${url}`,
    lines,
    stop: () => stop(),
    restart() {
      restarted = restarted.then(async () => {
        await stop();
        ({ key, url, stop } = await start());
      });
      return restarted;
    },
  };
}

/** So many of them have to sign. */
export function policyOf(witnesses: readonly RunningWitness[], needed: number): WitnessPolicy {
  const names = witnesses.map(({ key }) => key.name).join(' ');
  const text = [...witnesses.map(({ line }) => line), `group g ${needed} ${names}`, 'quorum g'].join('\n');
  const { quorum, witnesses: parsed } = parsePolicy(text);
  return { quorum, witnesses: parsed.map(({ key, url = '' }) => ({ key, url })) };
}

export function askWitnesses(
  policy: WitnessPolicy,
  files: LogFiles,
  onChange: (name: string, failure: string | undefined) => void = () => {},
): CheckpointWitnesses {
  return new CheckpointWitnesses({ policy, files, onChange, count: () => {} });
}

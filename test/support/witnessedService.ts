// A service whose public log has a witness.

import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createWitness, serveWitness } from '../../packages/cli/src/log/witness.js';
import { openWitnessState } from '../../packages/cli/src/log/witnessState.js';
import { createVerifierKey, formatVerifierKey, type NoteSigner } from '../../packages/log/src/index.js';
import { freePort } from './ports.js';
import { newDataFolder, startService } from './service.js';

/** The key of a log that begins at that port, in a file of that folder. */
export async function makeLogKey(folder: string, port: number): Promise<{ signer: NoteSigner; file: string }> {
  const pem = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const file = join(folder, 'log-key.pem');
  await writeFile(file, pem);
  const publicKey = Buffer.from(createPublicKey(pem).export({ format: 'jwk' }).x ?? '', 'base64url');
  const key = createVerifierKey(`127.0.0.1:${port}/log`, 'log', publicKey);
  return { signer: { key, sign: (message) => sign(null, message, pem) }, file };
}

/** The witness stops with the signal. */
export async function startWitnessedService(
  name: string,
  signal: AbortSignal,
  settings: Readonly<Record<string, string>> = {},
) {
  const [folder, port] = [await newDataFolder(), await freePort()];
  const { signer, file } = await makeLogKey(folder, port);
  const log = () => {};
  const state = await openWitnessState(join(folder, 'witness'), name, [signer.key.name]);
  const witness = createWitness({ state, logKeys: [signer.key], log });
  const { url } = await serveWitness(witness, { host: '127.0.0.1', port: 0, signal, log });
  const policy = join(folder, 'witnesses.txt');
  await writeFile(policy, `witness w ${formatVerifierKey(state.signer.key)} ${url}\nquorum w\n`);
  return startService({ PORT: String(port), LOG_KEY_FILE: file, LOG_WITNESSES: policy, ...settings });
}

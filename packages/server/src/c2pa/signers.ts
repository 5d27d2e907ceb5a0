// Who signs: a key in memory, a program, or a service behind HTTP. The latter two are where a KMS or HSM fits in.

import { spawn } from 'node:child_process';
import { constants, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { RegistryError } from '@provenance-registry/core';
import type { SigningCertificate } from './certificates.js';
import type { ClaimSigner, SigningAlgorithm } from './cose.js';

/** A creation waits for it; a hardware module answers within milliseconds, a service in another place within one second. */
const EXTERNAL_TIMEOUT_MS = 5_000;
/** RSA with 8192 bits is the longest there is. */
const MAX_SIGNATURE_BYTES = 1024;

const digests: Record<SigningAlgorithm, string | null> = {
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
  PS256: 'sha256',
  PS384: 'sha384',
  PS512: 'sha512',
  EdDSA: null,
};

export function localSigner(certificate: SigningCertificate, keyPem: string): ClaimSigner {
  const key = createPrivateKey(keyPem);
  const mine = createPublicKey(key).export({ type: 'spki', format: 'der' });
  if (!mine.equals(certificate.publicKey.export({ type: 'spki', format: 'der' }))) {
    throw new Error('the signing key does not belong to the certificate');
  }
  const { algorithm, certificates } = certificate;
  return { algorithm, certificates, sign: async (data) => sign(digests[algorithm], data, keyOptions(algorithm, key)) };
}

/** The data on its standard input, the raw signature on its standard output, exit code 0. */
export function commandSigner(
  certificate: SigningCertificate,
  command: readonly [string, ...string[]],
  timeoutMs = EXTERNAL_TIMEOUT_MS,
): ClaimSigner {
  return externalSigner(certificate, (data) => runCommand(command, data, timeoutMs));
}

/** The data as the body of a POST, the raw signature as the body of the answer. */
export function httpSigner(certificate: SigningCertificate, url: string, timeoutMs = EXTERNAL_TIMEOUT_MS): ClaimSigner {
  return externalSigner(certificate, async (data) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: data,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Error(`the signer answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  });
}

function externalSigner(certificate: SigningCertificate, ask: (data: Uint8Array) => Promise<Buffer>): ClaimSigner {
  const { algorithm, certificates, publicKey } = certificate;
  return {
    algorithm,
    certificates,
    async sign(data) {
      try {
        const signature = await ask(data);
        if (signature.length > MAX_SIGNATURE_BYTES) throw new Error('the signer answered too much');
        // A wrong key, or an ECDSA signature in DER, would otherwise be found by the reader of a published file.
        if (!verify(digests[algorithm], data, keyOptions(algorithm, publicKey), signature)) {
          throw new Error('the signature is not one of the certificate’s key over the data');
        }
        return signature;
      } catch (error) {
        throw new RegistryError('UNAVAILABLE', 'Nothing can be signed right now.', { cause: error });
      }
    },
  };
}

function keyOptions(algorithm: SigningAlgorithm, key: KeyObject) {
  return algorithm.startsWith('PS')
    ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { key, dsaEncoding: 'ieee-p1363' as const };
}

function runCommand(
  [program, ...args]: readonly [string, ...string[]],
  data: Uint8Array,
  timeoutMs: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stdin.on('error', () => {});
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(Buffer.concat(chunks));
      else reject(new Error(`the signer ended with ${signal ?? code}`));
    });
    child.stdin.end(data);
  });
}

// Claim signers: a key in memory, a program, or an HTTP service. The latter two connect a KMS or HSM.

import { spawn } from 'node:child_process';
import { constants, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { RegistryError } from '@provenance-registry/core';
import type { ClaimSigner, SigningAlgorithm } from './cose.js';
import type { SigningCertificate } from './signingCertificate.js';

/** Creations wait for it. A hardware module takes milliseconds, a remote service less than a second. */
const EXTERNAL_TIMEOUT_MS = 5_000;
/** Signatures of the longest RSA keys, 8192 bits. */
const MAX_SIGNATURE_BYTES = 1024;

/** Locations of the signing certificate and its key. */
export type SigningSource = { readonly certificateFile: string } & (
  | { readonly keyFile: string }
  | { readonly command: readonly [string, ...string[]] }
  | { readonly url: string }
);

/** Undefined unless there is a certificate and one source of signatures. */
export function signingSource(
  certificateFile: string | undefined,
  keyFile: string | undefined,
  command: readonly [string, ...string[]] | undefined,
  url: string | undefined,
): SigningSource | undefined {
  if (!certificateFile) return undefined;
  if (keyFile) return { certificateFile, keyFile };
  if (command) return { certificateFile, command };
  return url ? { certificateFile, url } : undefined;
}

/** Null for EdDSA, which includes its hash function; the names of the others end in the size of theirs. */
function digestName(algorithm: SigningAlgorithm): string | null {
  return algorithm === 'EdDSA' ? null : `sha${algorithm.slice(-3)}`;
}

export function localSigner(certificate: SigningCertificate, keyPem: string): ClaimSigner {
  const key = createPrivateKey(keyPem);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' });
  if (!publicKey.equals(certificate.publicKey.export({ type: 'spki', format: 'der' }))) {
    throw new Error('the signing key does not belong to the certificate');
  }
  const { algorithm, certificates } = certificate;
  const options = keyOptions(algorithm, key);
  return { algorithm, certificates, sign: async (data) => sign(digestName(algorithm), data, options) };
}

/** The program reads the data from standard input, writes the raw signature to standard output and exits with 0. */
export function commandSigner(
  certificate: SigningCertificate,
  command: readonly [string, ...string[]],
  timeoutMs = EXTERNAL_TIMEOUT_MS,
): ClaimSigner {
  return externalSigner(certificate, (data) => runCommand(command, data, timeoutMs));
}

/** The data is the body of a POST request, the raw signature the body of the response. */
export function httpSigner(certificate: SigningCertificate, url: string, timeoutMs = EXTERNAL_TIMEOUT_MS): ClaimSigner {
  return externalSigner(certificate, async (data) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: data,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw new Error(`the signer responded with status ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  });
}

function externalSigner(
  certificate: SigningCertificate,
  requestSignature: (data: Uint8Array) => Promise<Buffer>,
): ClaimSigner {
  const { algorithm, certificates, publicKey } = certificate;
  return {
    algorithm,
    certificates,
    async sign(data) {
      try {
        const signature = await requestSignature(data);
        if (signature.length > MAX_SIGNATURE_BYTES) throw new Error('the response of the signer is too large');
        // Detects a wrong key, or an ECDSA signature in DER, before anything is published.
        if (!verify(digestName(algorithm), data, keyOptions(algorithm, publicKey), signature)) {
          throw new Error('the signature does not match the certificate and the data');
        }
        return signature;
      } catch (error) {
        throw new RegistryError('UNAVAILABLE', 'Signing is temporarily unavailable.', { cause: error });
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
      else reject(new Error(`the signer exited with ${signal ?? code}`));
    });
    child.stdin.end(data);
  });
}

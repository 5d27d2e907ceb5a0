// Makes certificates: describes the facts, has them drawn in a worker, and signs the result.

import { RegistryError } from '@provenance-registry/core';
import type { CertificateName, Certificates } from '../domain/ports/index.js';
import { WorkerPool, workerFile } from '../workers/pool.js';
import type { CertificateJobs } from './certificateWorker.js';
import { signDigest } from './cms.js';
import { describeCertificate, type Issuer } from './content.js';
import { type DocumentSigner, sha256Of } from './documentKey.js';

/** The budget of the HTTP layer lets no more through. */
const MAX_WORKERS = 2;
/** Reading the fonts of a name in a rare script takes a second on a busy machine; the time-stamp may take ten. */
const JOB_TIMEOUT_MS = 30_000;
/** Starting a worker takes more processor time than drawing. */
const FIRST_JOB_TIMEOUT_MS = 60_000;
/** Ending an idle worker frees the fonts. */
const IDLE_TIMEOUT_MS = 60_000;
/** Larger than those of any known authority; the signature must fit into its place. */
const MAX_TOKEN_BYTES = 16_384;

export interface CertificateOptions {
  readonly signer: DocumentSigner;
  readonly describeIssuer: () => Omit<Issuer, 'signer'>;
  /** Returns an RFC 3161 token over the SHA-256 of the data. */
  readonly timestamper: { stamp(data: Uint8Array): Promise<Uint8Array> };
  readonly log: (level: 'warn', details: object, message: string) => void;
}

export function createPdfCertificates(options: CertificateOptions): Certificates & { close(): Promise<void> } {
  const { signer, describeIssuer, timestamper, log } = options;
  const pool = new WorkerPool<CertificateJobs>({
    file: workerFile('certificateWorker'),
    maxWorkers: MAX_WORKERS,
    maxQueuedJobs: 0,
    jobTimeoutMs: JOB_TIMEOUT_MS,
    firstJobTimeoutMs: FIRST_JOB_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
  const name = nameSigner(signer);

  /** A document without a time-stamp is still signed: undefined then. */
  async function stamp(signature: Uint8Array): Promise<Uint8Array | undefined> {
    try {
      const token = await timestamper.stamp(signature);
      if (token.length > MAX_TOKEN_BYTES) throw new Error('the token is too large');
      return token;
    } catch (error) {
      log('warn', { err: error }, 'certificate without a time-stamp');
      return undefined;
    }
  }

  return {
    async issue(facts) {
      const content = describeCertificate(facts, {
        ...describeIssuer(),
        signer: { ...name, isBuiltIn: signer.isBuiltIn },
      });
      let isSigned = false;
      try {
        return await pool.run(
          'draw',
          { content, signer: name.subject },
          {
            async handleQuery(digest) {
              if (isSigned) throw new Error('only one document is signed for a certificate');
              isSigned = true;
              return Uint8Array.from(await signDigest(digest, signer, stamp));
            },
          },
        );
      } catch (cause) {
        if (cause instanceof RegistryError) throw cause;
        throw new RegistryError('UNAVAILABLE', 'The certificate could not be made in time.', { cause });
      }
    },
    close: () => pool.close(),
  };
}

function nameSigner({ certificates: [leaf] }: DocumentSigner): CertificateName {
  if (!leaf) throw new Error('the signer of documents has no certificate');
  return {
    subject: leaf.subject.replaceAll('\n', ', '),
    issuer: leaf.issuer.replaceAll('\n', ', '),
    serialNumber: leaf.serialNumber.toLowerCase(),
    sha256: sha256Of(leaf),
  };
}

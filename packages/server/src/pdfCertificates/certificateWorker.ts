// Worker thread that draws certificates. The service holds the key: it is asked for the signature.

import { lowerThreadPriority, type QueryHost, serveJobs, TransferredResult } from '../workers/jobs.js';
import type { CertificateContent } from './content.js';
import { drawCertificate } from './drawCertificate.js';
import { fillSignature } from './pdfSignature.js';

interface DrawJob {
  readonly content: CertificateContent;
  /** The signer's name, as viewers show it. */
  readonly signer: string;
}

/** Asks once: for the signature of the document with this digest. */
async function draw({ content, signer }: DrawJob, queryHost: QueryHost) {
  const file = await fillSignature(await drawCertificate(content, signer), queryHost);
  return new TransferredResult(file, [file.buffer]);
}

const jobs = { draw };
export type CertificateJobs = typeof jobs;
lowerThreadPriority();
serveJobs(jobs);

// Route of certificates, with its budget.

import { api } from '@provenance-registry/core';
import { issueCertificate } from '../../../domain/artifacts/pdfCertificates.js';
import type { Ports } from '../../../domain/ports/index.js';
import { FairLimit } from '../../../workers/fairLimit.js';
import { BinaryResponse, type Router } from '../../router.js';

/** Each takes half a second of a processor, and waits for a time-stamp. */
const budget = {
  name: 'certificates',
  maxRunning: 2,
  /** So that another client's certificate never waits for those of one client alone. */
  maxRunningPerClient: 1,
  maxWaiting: 128,
  maxWaitingPerClient: 32,
  maxWaitingPerLane: 32,
  /** Twice as long as a client's full queue takes on a slow core. */
  maxWaitMs: 30_000,
};
/** Waiting for a turn, starting a worker on a busy machine, drawing and the time-stamp. */
const TIMEOUT_MS = 120_000;
/** Enough to tell the files of one person apart. */
const NAME_DIGITS = 16;

export function certificateRoutes(route: Router, ports: Ports): void {
  const limit = new FairLimit(budget);
  route(
    api.getCertificate,
    async ({ params: { fingerprint } }, { client, signal }) => {
      const bytes = await limit.run({ client, signal }, () => issueCertificate(ports, fingerprint));
      return new BinaryResponse(api.getCertificate.success.mediaType, bytes, {
        'content-disposition': `attachment; filename="certificate-${fingerprint.slice(2, 2 + NAME_DIGITS)}.pdf"`,
        // It states what is known now.
        'cache-control': 'no-store',
      });
    },
    { timeoutMs: TIMEOUT_MS, takesNoTurn: true },
  );
}

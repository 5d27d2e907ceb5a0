// Routes of claims.

import { api } from '@provenance-registry/core';
import { addOperatorNote, answerClaim, concedeClaim, withdrawClaim } from '../../../domain/claims/claimEntries.js';
import { createClaim, listArtifactClaims, listOwnClaims, readClaimEvidence } from '../../../domain/claims/claims.js';
import { maxEvidenceBytes, type Ports } from '../../../domain/ports/index.js';
import { definedFields } from '../../definedFields.js';
import { BinaryResponse, type Router } from '../../router.js';

/** Time to check a complete upload: more than the time limits of all steps together. */
const CHECK_MS = 60_000;

/** Keeps browsers from showing the evidence: its bytes are untrusted. */
const evidenceHeaders = { 'content-disposition': 'attachment', 'cache-control': 'public, max-age=31536000, immutable' };

export function claimRoutes(route: Router, ports: Ports, requestMs: number): void {
  route(
    api.createClaim,
    ({ caller, params, body, file }, { client }) =>
      createClaim(ports, caller, params.fingerprint, {
        kind: body.kind,
        statement: body.statement,
        ...definedFields({ markId: body.markId, account: toAccount(body.account) }),
        file,
        client,
      }),
    {
      timeoutMs: requestMs + CHECK_MS,
      takesNoTurn: true,
      upload: {
        maxBytes: maxEvidenceBytes.manifest,
        maxBufferedBytes: maxEvidenceBytes.manifest,
        needsWhole: () => true,
      },
    },
  );
  route(api.listArtifactClaims, ({ params }) => listArtifactClaims(ports, params.fingerprint));
  route(api.listOwnClaims, ({ caller, query }) => listOwnClaims(ports, caller, query));
  route(api.getClaimEvidence, async ({ params }) => {
    const bytes = await readClaimEvidence(ports, params.claimId);
    return new BinaryResponse('application/octet-stream', bytes, evidenceHeaders);
  });
  route(api.answerClaim, ({ caller, params, body }) => answerClaim(ports, caller, params.claimId, body.text));
  route(api.withdrawClaim, ({ caller, params, body }) => withdrawClaim(ports, caller, params.claimId, body.text));
  route(api.concedeClaim, ({ caller, params, body }) => concedeClaim(ports, caller, params.claimId, body.text));
  route(api.addOperatorNote, ({ params, body }) => addOperatorNote(ports, params.claimId, body.text));
}

function toAccount(text: string | undefined): `0x${string}` | undefined {
  return text === undefined ? undefined : `0x${text.slice(2).toLowerCase()}`;
}

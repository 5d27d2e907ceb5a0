// Says at the top of a page that a registration is contested or conceded. Whether evidence counts is this service's word.

import type { Artifact } from '@provenance-registry/core';
import { describeClaims } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/site/ui';
import { Notice } from '../feedback/Notice.js';
import { ReferencedMark } from '../mark/MarkIdentity.js';

interface ClaimsNoticeProps {
  readonly artifact: Pick<Artifact, 'claims'>;
  /** Leads to the claims. */
  readonly children: ReactNode;
}

/** Nothing for a registration without open claims that was not conceded. */
export function ClaimsNotice({ artifact: { claims }, children }: ClaimsNoticeProps) {
  const { contested, supersededBy } = claims;
  const open = describeClaims({ ...claims, supersededBy: null });
  if (open === undefined && !supersededBy) return null;
  return (
    <Notice tone={contested ? 'warn' : 'info'} title={contested ? texts.isContested : undefined}>
      {open !== undefined && <p>{open}</p>}
      {supersededBy && <p>{texts.concededTo(<ReferencedMark mark={supersededBy} />)}</p>}
      <p>{children}</p>
    </Notice>
  );
}

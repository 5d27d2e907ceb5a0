// Tells what a frozen organization means.

import type { Organization } from '@provenance-registry/core';
import * as texts from '#texts/accounts/tiers';
import { Notice } from '../../../ui/feedback/Notice.js';
import { Link } from '../../../ui/text/Link.js';

export function FrozenNotice({ organization: { role } }: { readonly organization: Organization }) {
  const isOwner = role === 'owner';
  return (
    <Notice tone="warn" title={texts.frozenTitle}>
      <p>{isOwner ? texts.frozenForOwner : texts.frozenForMember}</p>
      {isOwner && (
        <p>
          <Link to="/dashboard/account/tier">{texts.viewTiers}</Link>
        </p>
      )}
    </Notice>
  );
}

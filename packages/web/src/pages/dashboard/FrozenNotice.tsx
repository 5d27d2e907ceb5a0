// Tells what a frozen organization means.

import type { Organization } from '@provenance-registry/core';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';

export function FrozenNotice({ organization: { role } }: { readonly organization: Organization }) {
  const isOwner = role === 'owner';
  return (
    <Notice tone="warn" title="This organization is frozen">
      <p>
        {isOwner ? 'You have' : 'Its owner has'} left the Enterprise tier. Until{' '}
        {isOwner ? 'you return' : 'they return'}, files cannot be registered under its Marks, members cannot be added,
        and its API keys do not work. Registered files are not affected.
      </p>
      {isOwner && (
        <p>
          <Link to="/dashboard/account/tier">View tiers</Link>
        </p>
      )}
    </Notice>
  );
}

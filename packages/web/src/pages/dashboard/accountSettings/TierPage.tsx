// The tiers of the service, and the user's own.

import { MAX_API_KEYS, type Tier, type TierRules, tierNames } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import { useTitle } from '../../../routing.js';
import { Button } from '../../../ui/Button.js';
import { Card } from '../../../ui/Card.js';
import { ConfirmDialog } from '../../../ui/Dialog.js';
import { ErrorNotice } from '../../../ui/ErrorNotice.js';
import { formatNumber, pluralize } from '../../../ui/format.js';
import { Icon } from '../../../ui/Icon.js';
import { announce } from '../../../ui/LiveRegion.js';
import { Notice } from '../../../ui/Notice.js';
import { useAction } from '../../../ui/useAction.js';
import { useAccount } from '../account.js';
import { tierLabels, UNLIMITED } from '../tierLimits.js';

export function TierPage() {
  useTitle('Tier');
  const { client, tiers, user, organizations, reload } = useAccount();
  const [confirming, setConfirming] = useState<Tier>();
  const {
    isBusy,
    error,
    run: change,
  } = useAction(async (tier: Tier) => {
    await client.putSubscription({ tier });
    announce(`You are now on the ${tierLabels[tier]} tier.`);
    reload();
  });
  const owned = organizations.filter(({ role, status }) => role === 'owner' && status === 'active');
  const choose = (tier: Tier) => {
    // Leaving the Enterprise tier freezes the user's organizations.
    if (user.tier === 'enterprise' && owned.length > 0) setConfirming(tier);
    else void change(tier);
  };
  return (
    <>
      <h1>Tier</h1>
      {!tiers.selfServe && (
        <Notice>
          <p>Tiers are set by the operator of this service. Contact them to change yours.</p>
        </Notice>
      )}
      <ErrorNotice error={error} />
      <div className="tiers">
        {tierNames.map((tier) => (
          <Card key={tier} title={tierLabels[tier]}>
            <TierFeatures rules={tiers.tiers[tier]} />
            {tier === user.tier ? (
              <p className="tier-current">
                <Icon name="check" /> Current tier
              </p>
            ) : (
              tiers.selfServe && (
                <Button isBusy={isBusy} onClick={() => choose(tier)}>
                  Choose {tierLabels[tier]}
                </Button>
              )
            )}
          </Card>
        ))}
      </div>
      {confirming && (
        <ConfirmDialog
          title="Leave the Enterprise tier?"
          action={`Choose ${tierLabels[confirming]}`}
          work={() => change(confirming)}
          onClose={() => setConfirming(undefined)}
        >
          <p>
            This freezes {pluralize(owned.length, 'organization')} of yours immediately: all other members and purchased
            usage units are removed, files cannot be registered, and API keys stop working. Members and usage units are
            not restored automatically.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function TierFeatures({ rules }: { readonly rules: TierRules }) {
  return (
    <ul className="tier-features">
      <li>
        {rules.dailyArtifactLimit === UNLIMITED
          ? 'Unlimited files'
          : `${formatLimit(rules.dailyArtifactLimit)} files per day, ${formatLimit(rules.lifetimeArtifactLimit)} in total`}
      </li>
      <li>{formatLimit(rules.maxMarks)} Marks</li>
      <li>{rules.privateMarks ? 'Private Marks' : 'Public Marks only'}</li>
      <li>{rules.markEditing ? 'Marks can be edited' : 'Marks cannot be edited'}</li>
      <li>{describeOrganizations(rules)}</li>
      <li>{rules.apiKeys ? `${MAX_API_KEYS} API keys per organization` : 'No API keys'}</li>
    </ul>
  );
}

function describeOrganizations({ maxOrganizations, maxOrganizationMembers }: TierRules): string {
  if (maxOrganizations === 0) return 'No organizations';
  const organizations = maxOrganizations === 1 ? '1 organization' : `${formatLimit(maxOrganizations)} organizations`;
  return `${organizations}, ${formatLimit(maxOrganizationMembers).toLowerCase()} members each`;
}

function formatLimit(limit: number): string {
  return limit === UNLIMITED ? 'Unlimited' : formatNumber(limit);
}

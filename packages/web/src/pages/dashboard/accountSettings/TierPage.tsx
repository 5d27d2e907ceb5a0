// The tiers of the service, and the user's own.

import { MAX_API_KEYS, type Tier, type TierRules, tierNames } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/accounts/account';
import { useTitle } from '../../../routing.js';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { Notice } from '../../../ui/feedback/Notice.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmDialog } from '../../../ui/form/Dialog.js';
import { useAction } from '../../../ui/form/useAction.js';
import { Card } from '../../../ui/layout/Card.js';
import { formatNumber } from '../../../ui/text/format.js';
import { Icon } from '../../../ui/text/Icon.js';
import { useAccount } from '../account.js';
import { OwnUsage, tierLabels, UNLIMITED } from '../tierLimits.js';
import * as styles from './TierPage.module.css';

export function TierPage() {
  useTitle(texts.tier);
  const { client, tiers, user, organizations, reload } = useAccount();
  const [confirming, setConfirming] = useState<Tier>();
  const {
    isBusy,
    error,
    run: change,
  } = useAction(async (tier: Tier) => {
    await client.putSubscription({ tier });
    announce(texts.nowOnTier(tierLabels[tier]));
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
      <h1>{texts.tier}</h1>
      {!tiers.selfServe && (
        <Notice>
          <p>{texts.tierByOperator}</p>
        </Notice>
      )}
      <ErrorNotice error={error} />
      <div className={styles.tiers}>
        {tierNames.map((tier) => (
          <Card key={tier} title={tierLabels[tier]}>
            <TierFeatures rules={tiers.tiers[tier]} />
            {tier === user.tier ? (
              <p className={styles.current}>
                <Icon name="check" /> {texts.currentTier}
              </p>
            ) : (
              tiers.selfServe && (
                <Button isBusy={isBusy} onClick={() => choose(tier)}>
                  {texts.chooseTier(tierLabels[tier])}
                </Button>
              )
            )}
          </Card>
        ))}
      </div>
      <OwnUsage key={user.tier} />
      {confirming && (
        <ConfirmDialog
          title={texts.leaveEnterprise}
          action={texts.chooseTier(tierLabels[confirming])}
          work={() => change(confirming)}
          onClose={() => setConfirming(undefined)}
        >
          <p>{texts.leaveEnterpriseEffect(owned.length)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function TierFeatures({ rules }: { readonly rules: TierRules }) {
  return (
    <ul className={styles.features}>
      <li>
        {rules.dailyArtifactLimit === UNLIMITED
          ? texts.unlimitedFiles
          : texts.fileLimits(formatLimit(rules.dailyArtifactLimit), formatLimit(rules.lifetimeArtifactLimit))}
      </li>
      <li>{texts.markCount(formatLimit(rules.maxMarks))}</li>
      <li>{rules.privateMarks ? texts.privateMarks : texts.publicMarksOnly}</li>
      <li>{rules.markEditing ? texts.marksEditable : texts.marksNotEditable}</li>
      <li>{describeOrganizations(rules)}</li>
      <li>{rules.apiKeys ? texts.keysPerOrganization(MAX_API_KEYS) : texts.noKeys}</li>
    </ul>
  );
}

function describeOrganizations({ maxOrganizations, maxOrganizationMembers }: TierRules): string {
  const members = formatLimit(maxOrganizationMembers);
  if (maxOrganizations === 0) return texts.noOrganizations;
  if (maxOrganizations === 1) return texts.oneOrganization(members);
  return texts.organizationCount(formatLimit(maxOrganizations), members);
}

function formatLimit(limit: number): string {
  return limit === UNLIMITED ? texts.unlimited : formatNumber(limit);
}

// The account of the user: name, tier and log-out.

import { MAX_API_KEYS, type Tier, type TierRules, tierNames } from '@provenance-registry/core';
import { useState } from 'react';
import { navigate, useTitle } from '../../routing.js';
import { setToken } from '../../session.js';
import { useStore } from '../../store.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ConfirmDialog } from '../../ui/Dialog.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { formatNumber, pluralize } from '../../ui/format.js';
import { Icon } from '../../ui/Icon.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { useAction } from '../../ui/useAction.js';
import { useAccount } from './account.js';
import { isFinished } from './registrationQueue/queueRow.js';
import { tierLabels, UNLIMITED } from './tierLimits.js';

export function AccountPage() {
  useTitle('Account');
  const { user } = useAccount();
  return (
    <div className="stack">
      <h1>Account</h1>
      <Card>
        <dl className="particulars">
          <dt>Name</dt>
          <dd>
            <bdi>{user.name}</bdi>
          </dd>
          <dt>Email address</dt>
          <dd>{user.email ?? 'None'}</dd>
        </dl>
        <LogOutButton />
      </Card>
      <Tiers />
    </div>
  );
}

function LogOutButton() {
  const { userQueue } = useAccount();
  const { rows } = useStore(userQueue.queue.summary);
  const [isConfirming, setIsConfirming] = useState(false);
  const logOut = async () => {
    // Leave the dashboard first: without a token it redirects to the log-in page.
    navigate('/');
    setToken(undefined);
  };
  const unfinished = rows.filter((row) => !isFinished(row)).length;
  return (
    <>
      <Button onClick={() => (unfinished > 0 ? setIsConfirming(true) : logOut())}>Log out</Button>
      {isConfirming && (
        <ConfirmDialog title="Log out now?" action="Log out" work={logOut} onClose={() => setIsConfirming(false)}>
          <p>
            {pluralize(unfinished, 'file')} in your list {unfinished === 1 ? 'is' : 'are'} still in progress. The list
            stays in this browser and continues when you log in again.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function Tiers() {
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
    <section aria-labelledby="tiers">
      <h2 id="tiers">Your tier</h2>
      {!tiers.selfServe && (
        <Notice>
          <p>Tiers are set by the operator of this service. Contact them to change yours.</p>
        </Notice>
      )}
      <ErrorNotice error={error} />
      <div className="tiers">
        {tierNames.map((tier) => (
          <Card key={tier} level={3} title={tierLabels[tier]}>
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
    </section>
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

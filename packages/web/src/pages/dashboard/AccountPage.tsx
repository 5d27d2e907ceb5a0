// One's account: who one is, the tier, and logging out.

import { MAX_API_KEYS, type Tier, type TierRules, tierNames } from '@provenance-registry/core';
import { useState } from 'react';
import { navigate, useTitle } from '../../routing.js';
import { keepToken } from '../../session.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Confirmation } from '../../ui/Dialog.js';
import { count, whole } from '../../ui/format.js';
import { Icon } from '../../ui/Icon.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { Failure, useAction } from '../../ui/QueryView.js';
import { useAccount } from './account.js';
import { isFinished } from './registrationQueue/queueRow.js';
import { registrationsOf } from './registrationQueue/userQueue.js';
import { tierTitles } from './UsageMeters.js';

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
        <LogOut />
      </Card>
      <Tiers />
    </div>
  );
}

function LogOut() {
  const { user, service } = useAccount();
  const [isAsking, setIsAsking] = useState(false);
  const leave = async () => {
    // First, so that nobody is asked to log in again.
    navigate('/');
    keepToken(undefined);
  };
  const unfinished = registrationsOf(user.id, service)
    .queue.rows()
    .filter((row) => !isFinished(row)).length;
  return (
    <>
      <Button onClick={() => (unfinished > 0 ? setIsAsking(true) : leave())}>Log out</Button>
      {isAsking && (
        <Confirmation title="Log out now?" action="Log out" work={leave} onClose={() => setIsAsking(false)}>
          <p>
            {count(unfinished, 'file')} in your list {unfinished === 1 ? 'is' : 'are'} not through yet. The list stays
            in this browser, and goes on when you log in again.
          </p>
        </Confirmation>
      )}
    </>
  );
}

function Tiers() {
  const { tiers, user, organizations } = useAccount();
  const [leaving, setLeaving] = useState<Tier>();
  const { change, isBusy, error } = useTierChange();
  const owned = organizations.filter(({ role, status }) => role === 'owner' && status === 'active');
  const choose = (tier: Tier) => {
    // Only that freezes organizations, and takes their members.
    if (user.tier === 'enterprise' && owned.length > 0) setLeaving(tier);
    else void change(tier);
  };
  return (
    <section aria-labelledby="tiers">
      <h2 id="tiers">Your tier</h2>
      {!tiers.selfServe && (
        <Notice>
          <p>Whoever runs this service sets the tiers. Ask them for another one.</p>
        </Notice>
      )}
      {error !== undefined && <Failure error={error} />}
      <div className="tiers">
        {tierNames.map((tier) => (
          <Card key={tier} level={3} title={tierTitles[tier]}>
            <TierFacts rules={tiers.tiers[tier]} />
            {tier === user.tier ? (
              <p className="tier-own">
                <Icon name="check" /> You are on this tier
              </p>
            ) : (
              tiers.selfServe && (
                <Button isBusy={isBusy} onClick={() => choose(tier)}>
                  Choose {tierTitles[tier]}
                </Button>
              )
            )}
          </Card>
        ))}
      </div>
      {leaving && (
        <Confirmation
          title="Leave the Enterprise tier?"
          action={`Choose ${tierTitles[leaving]}`}
          work={async () => {
            await change(leaving);
            setLeaving(undefined);
          }}
          onClose={() => setLeaving(undefined)}
        >
          <p>
            {count(owned.length, 'organization')} of yours will be frozen at once: all other members are removed, places
            are given back, nothing can be registered, and API keys stop. Members and places do not return by
            themselves.
          </p>
        </Confirmation>
      )}
    </section>
  );
}

function useTierChange() {
  const { service, reload } = useAccount();
  const { run, isBusy, error } = useAction(async (tier: Tier) => {
    await service.putSubscription({ tier });
    announce(`You are on the ${tierTitles[tier]} tier now.`);
    reload();
  });
  return { change: run, isBusy, error };
}

function TierFacts({ rules }: { readonly rules: TierRules }) {
  return (
    <ul className="tier-facts">
      <li>
        {rules.dailyArtifactLimit === -1
          ? 'Files without a limit'
          : `${many(rules.dailyArtifactLimit)} files a day, ${many(rules.lifetimeArtifactLimit)} in all`}
      </li>
      <li>{many(rules.maxMarks)} Marks</li>
      <li>{rules.privateMarks ? 'Private Marks' : 'Public Marks only'}</li>
      <li>{rules.markEditing ? 'Marks can be changed' : 'Marks stay as they were made'}</li>
      <li>{organizationsOf(rules)}</li>
      <li>{rules.apiKeys ? `${MAX_API_KEYS} API keys for each organization` : 'No API keys'}</li>
    </ul>
  );
}

function organizationsOf({ maxOrganizations, maxOrganizationMembers }: TierRules): string {
  if (maxOrganizations === 0) return 'No organizations';
  const often = maxOrganizations === 1 ? 'One organization' : `${many(maxOrganizations)} organizations`;
  return `${often}, ${maxOrganizationMembers === -1 ? 'any number of' : many(maxOrganizationMembers)} members each`;
}

function many(limit: number): string {
  return limit === -1 ? 'Any number of' : whole.format(limit);
}

// The limits of tiers, and how much of them is used.

import { type Tier, type TierLimits, type TierRules, tierNames } from '@provenance-registry/core';
import { type ReactNode, useId } from 'preact/compat';
import { Card } from '../../ui/Card.js';
import { formatNumber } from '../../ui/format.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { useAccount } from './account.js';
import './meters.css';

export const UNLIMITED = -1;
/** From here on a meter is highlighted. */
const HIGH_USAGE = 0.8;

export const tierLabels: Readonly<Record<Tier, string>> = {
  free: 'Free',
  creator: 'Creator',
  enterprise: 'Enterprise',
};

/** Infinity without a limit. After a change of tier, more may be used than the limit allows. */
export function remaining(used: number, limit: number): number {
  return limit === UNLIMITED ? Number.POSITIVE_INFINITY : Math.max(0, limit - used);
}

export function remainingFiles({ usage, dailyArtifactLimit, lifetimeArtifactLimit }: TierLimits): number {
  return Math.min(
    remaining(usage.dailyArtifacts, dailyArtifactLimit),
    remaining(usage.lifetimeArtifacts, lifetimeArtifactLimit),
  );
}

interface MeterProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  readonly note?: ReactNode;
}

export function Meter({ label, used, limit, note }: MeterProps) {
  const id = useId();
  const text =
    limit === UNLIMITED ? `${formatNumber(used)}, unlimited` : `${formatNumber(used)} of ${formatNumber(limit)}`;
  return (
    <div className="meter">
      <span id={id} className="meter-label">
        {label}
      </span>
      <span className="meter-count">{text}</span>
      {limit > 0 && (
        <meter aria-labelledby={id} value={Math.min(used, limit)} max={limit} high={limit * HIGH_USAGE} optimum={0}>
          {text}
        </meter>
      )}
      {note !== undefined && <span className="meter-note">{note}</span>}
    </div>
  );
}

/** Organizations own no organizations. */
export function TierUsageCard({
  limits,
  isOfOrganization = false,
}: {
  limits: TierLimits;
  isOfOrganization?: boolean;
}) {
  const { tier, usage, dailyArtifactLimit, lifetimeArtifactLimit, maxMarks, maxOrganizations, resetsAt } = limits;
  const reset = dailyArtifactLimit === UNLIMITED ? undefined : <ResetTime at={resetsAt} />;
  return (
    <Card title={`Limits of the ${tierLabels[tier]} tier`}>
      <div className="meters">
        <Meter label="Files today" used={usage.dailyArtifacts} limit={dailyArtifactLimit} note={reset} />
        <Meter label="Files in total" used={usage.lifetimeArtifacts} limit={lifetimeArtifactLimit} />
        <Meter label="Marks" used={usage.marks} limit={maxMarks} />
        {!isOfOrganization && <Meter label="Organizations" used={usage.organizations} limit={maxOrganizations} />}
      </div>
    </Card>
  );
}

export function ResetTime({ at }: { readonly at: string }) {
  return (
    <>
      Resets at <Timestamp at={at} />
    </>
  );
}

export function LimitReached({ what, tier, ...meter }: MeterProps & { readonly what: string; readonly tier: Tier }) {
  return (
    <>
      <Meter {...meter} />
      <Notice tone="warn">
        <p>
          You have reached the {what} limit of the {tierLabels[tier]} tier.{' '}
          <Link to="/dashboard/account/tier">View tiers</Link>
        </p>
      </Notice>
    </>
  );
}

interface UpgradeHintProps {
  /** As in "Upgrade to the Creator tier to use private Marks." */
  readonly to: string;
  readonly hasFeature: (rules: TierRules) => boolean;
}

/** Tells which tier has a feature that the current one lacks. */
export function UpgradeHint({ to, hasFeature }: UpgradeHintProps) {
  const { tiers } = useAccount().tiers;
  const lowest = tierNames.find((name) => hasFeature(tiers[name]));
  if (lowest === undefined) return <>No tier of this service allows you to {to}.</>;
  return (
    <>
      Upgrade to the {tierLabels[lowest]} tier to {to}. <Link to="/dashboard/account/tier">View tiers</Link>
    </>
  );
}

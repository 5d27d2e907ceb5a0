// The limits of tiers, and how much of them is used.

import { type Tier, type TierLimits, type TierRules, tierNames } from '@provenance-registry/core';
import { type ReactNode, useCallback, useId } from 'preact/compat';
import * as texts from '#texts/accounts/tiers';
import { Notice } from '../../ui/feedback/Notice.js';
import { QueryView } from '../../ui/feedback/query.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { Link } from '../../ui/text/Link.js';
import { Timestamp } from '../../ui/text/Timestamp.js';
import { useAccount, useAuthedQuery } from './account.js';
import * as styles from './tierLimits.module.css';

export const UNLIMITED = -1;
/** Part from which on a meter is highlighted. */
const HIGH_USAGE = 0.8;

export const { tierLabels } = texts;

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

const isOver = (used: number, limit: number) => limit !== UNLIMITED && used > limit;

interface MeterProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  readonly note?: ReactNode;
}

export function Meter({ label, used, limit, note }: MeterProps) {
  const id = useId();
  const text = limit === UNLIMITED ? texts.unlimited(used) : texts.usedOfLimit(used, limit);
  return (
    <div className={styles.meter}>
      <span id={id} className={styles.label}>
        {label}
      </span>
      <span className={styles.count}>{text}</span>
      {limit > 0 && (
        <meter aria-labelledby={id} value={Math.min(used, limit)} max={limit} high={limit * HIGH_USAGE} optimum={0}>
          {text}
        </meter>
      )}
      {note !== undefined && <span className={`${basics.small} ${styles.note}`}>{note}</span>}
    </div>
  );
}

interface TierUsageCardProps {
  readonly limits: TierLimits;
  /** Organizations own no organizations. */
  readonly isOfOrganization?: boolean;
  readonly title?: string;
}

export function TierUsageCard({ limits, isOfOrganization = false, title }: TierUsageCardProps) {
  const { tier, usage, dailyArtifactLimit, lifetimeArtifactLimit, maxMarks, maxOrganizations } = limits;
  return (
    <Card title={title ?? texts.usageTitle(tierLabels[tier])}>
      <div className={styles.meters}>
        <Meter
          label={texts.filesToday}
          used={usage.dailyArtifacts}
          limit={dailyArtifactLimit}
          note={explainDailyUsage(limits)}
        />
        <Meter
          label={texts.filesInTotal}
          used={usage.lifetimeArtifacts}
          limit={lifetimeArtifactLimit}
          note={explainTotalUsage(limits)}
        />
        <Meter
          label={texts.marks}
          used={usage.marks}
          limit={maxMarks}
          note={isOver(usage.marks, maxMarks) ? texts.overMarkLimit : undefined}
        />
        {!isOfOrganization && (
          <Meter
            label={texts.organizations}
            used={usage.organizations}
            limit={maxOrganizations}
            note={isOver(usage.organizations, maxOrganizations) ? texts.overOrganizationLimit : undefined}
          />
        )}
      </div>
    </Card>
  );
}

/** Usage and limits of the user. Loads again when it gets another key. */
export function OwnUsage() {
  const { client } = useAccount();
  const query = useAuthedQuery(useCallback((signal: AbortSignal) => client.getTierLimits({}, { signal }), [client]));
  return (
    <QueryView query={query} what={texts.limits}>
      {(limits) => <TierUsageCard limits={limits} title={texts.ownUsageTitle} />}
    </QueryView>
  );
}

function explainDailyUsage({ usage, dailyArtifactLimit, lifetimeArtifactLimit, resetsAt }: TierLimits): ReactNode {
  if (dailyArtifactLimit === UNLIMITED) return undefined;
  if (!isOver(usage.dailyArtifacts, dailyArtifactLimit)) return <ResetTime at={resetsAt} />;
  // The total limit may still be in the way tomorrow.
  const canContinue = dailyArtifactLimit > 0 && remaining(usage.lifetimeArtifacts, lifetimeArtifactLimit) > 0;
  return canContinue ? texts.overDailyLimit(<Timestamp at={resetsAt} />) : texts.overDailyLimitOnly;
}

function explainTotalUsage({ usage: { lifetimeArtifacts }, lifetimeArtifactLimit }: TierLimits): string | undefined {
  if (isOver(lifetimeArtifacts, lifetimeArtifactLimit)) return texts.overTotalLimit;
  return lifetimeArtifacts === lifetimeArtifactLimit ? texts.totalLimitReached : undefined;
}

export function ResetTime({ at }: { readonly at: string }) {
  return texts.resetsAt(<Timestamp at={at} />);
}

function TiersLink() {
  return <Link to="/dashboard/account/tier">{texts.viewTiers}</Link>;
}

interface LimitReachedProps extends Omit<MeterProps, 'note'> {
  readonly text: (tier: string, tiers: ReactNode) => ReactNode;
  readonly tier: Tier;
}

export function LimitReached({ text, tier, ...meter }: LimitReachedProps) {
  return (
    <>
      <Meter {...meter} />
      <Notice tone="warn">
        <p>{text(tierLabels[tier], <TiersLink />)}</p>
      </Notice>
    </>
  );
}

interface UpgradeHintProps {
  readonly feature: keyof typeof texts.upgradeHints;
  readonly hasFeature: (rules: TierRules) => boolean;
}

/** Tells which tier has a feature that the current one lacks. */
export function UpgradeHint({ feature, hasFeature }: UpgradeHintProps) {
  const { tiers } = useAccount().tiers;
  const lowest = tierNames.find((name) => hasFeature(tiers[name]));
  const { upgrade, unavailable } = texts.upgradeHints[feature];
  return lowest === undefined ? unavailable : upgrade(tierLabels[lowest], <TiersLink />);
}

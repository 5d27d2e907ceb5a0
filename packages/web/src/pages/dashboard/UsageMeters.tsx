// How much of what the tier allows is used, and when it begins anew.

import type { Tier, TierLimits } from '@provenance-registry/core';
import { type ReactNode, useId } from 'react';
import { whole } from '../../ui/format.js';
import { Time } from '../../ui/Timestamp.js';

const UNLIMITED = -1;

export const tierTitles: Readonly<Record<Tier, string>> = {
  free: 'Free',
  creator: 'Creator',
  enterprise: 'Enterprise',
};

interface MeterProps {
  readonly label: string;
  readonly used: number;
  readonly limit: number;
  readonly note?: ReactNode;
}

export function Meter({ label, used, limit, note }: MeterProps) {
  const id = useId();
  return (
    <div className="meter">
      <span id={id} className="meter-label">
        {label}
      </span>
      <span className="meter-count">{countOf(used, limit)}</span>
      {limit > 0 && (
        <meter aria-labelledby={id} value={Math.min(used, limit)} max={limit} high={limit * 0.8} optimum={0}>
          {countOf(used, limit)}
        </meter>
      )}
      {note !== undefined && <span className="meter-note">{note}</span>}
    </div>
  );
}

function countOf(used: number, limit: number): string {
  if (limit === UNLIMITED) return `${whole.format(used)}, without a limit`;
  return `${whole.format(used)} of ${whole.format(limit)}`;
}

/** How many more; Infinity when there is no limit. After a change of tier more may be used than is allowed. */
export function leftOf(used: number, limit: number): number {
  return limit === UNLIMITED ? Number.POSITIVE_INFINITY : Math.max(0, limit - used);
}

export function filesLeft({ usage, dailyArtifactLimit, lifetimeArtifactLimit }: TierLimits): number {
  return Math.min(
    leftOf(usage.dailyArtifacts, dailyArtifactLimit),
    leftOf(usage.lifetimeArtifacts, lifetimeArtifactLimit),
  );
}

interface LimitsProps {
  readonly limits: TierLimits;
  /** An organization owns no organizations. */
  readonly isOfOrganization?: boolean;
}

export function Limits({ limits, isOfOrganization = false }: LimitsProps) {
  const { usage, dailyArtifactLimit, lifetimeArtifactLimit, maxMarks, maxOrganizations, resetsAt } = limits;
  const reset = dailyArtifactLimit === UNLIMITED ? undefined : <Reset at={resetsAt} />;
  return (
    <div className="meters">
      <Meter label="Files today" used={usage.dailyArtifacts} limit={dailyArtifactLimit} note={reset} />
      <Meter label="Files in all" used={usage.lifetimeArtifacts} limit={lifetimeArtifactLimit} />
      <Meter label="Marks" used={usage.marks} limit={maxMarks} />
      {!isOfOrganization && <Meter label="Organizations" used={usage.organizations} limit={maxOrganizations} />}
    </div>
  );
}

export function Reset({ at }: { readonly at: string }) {
  return (
    <>
      Begins anew at <Time at={at} />
    </>
  );
}

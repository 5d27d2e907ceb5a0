// How much of the limits of a tier is used.

import type { TierLimits } from '@provenance-registry/core';
import { type ReactNode, useId } from 'react';
import { formatNumber } from '../../ui/format.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { UNLIMITED } from './tierLimits.js';
import './meters.css';

/** From here on the meter is highlighted. */
const HIGH_USAGE = 0.8;

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

interface TierUsageProps {
  readonly limits: TierLimits;
  /** Organizations own no organizations. */
  readonly isOfOrganization?: boolean;
}

export function TierUsage({ limits, isOfOrganization = false }: TierUsageProps) {
  const { usage, dailyArtifactLimit, lifetimeArtifactLimit, maxMarks, maxOrganizations, resetsAt } = limits;
  const reset = dailyArtifactLimit === UNLIMITED ? undefined : <ResetTime at={resetsAt} />;
  return (
    <div className="meters">
      <Meter label="Files today" used={usage.dailyArtifacts} limit={dailyArtifactLimit} note={reset} />
      <Meter label="Files in total" used={usage.lifetimeArtifacts} limit={lifetimeArtifactLimit} />
      <Meter label="Marks" used={usage.marks} limit={maxMarks} />
      {!isOfOrganization && <Meter label="Organizations" used={usage.organizations} limit={maxOrganizations} />}
    </div>
  );
}

export function ResetTime({ at }: { readonly at: string }) {
  return (
    <>
      Resets at <Timestamp at={at} />
    </>
  );
}

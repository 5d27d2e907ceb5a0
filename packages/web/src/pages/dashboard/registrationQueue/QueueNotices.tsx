// Notices about what stops the queue, or will stop it.

import type { Mark, TierLimits } from '@provenance-registry/core';
import * as texts from '#texts/artifacts/register';
import { Notice } from '../../../ui/feedback/Notice.js';
import { Button } from '../../../ui/form/Button.js';
import { SelectField } from '../../../ui/form/Field.js';
import { Link } from '../../../ui/text/Link.js';
import { ResetTime, remaining, remainingFiles } from '../tierLimits.js';
import type { Queue, QueueSummary } from './queue.js';

interface QueueNoticesProps {
  readonly summary: QueueSummary;
  readonly queue: Queue;
  /** Limits of the owner of the selected Mark, where the user may see them. */
  readonly limits: TierLimits | undefined;
  /** The owner is a frozen organization, which has a notice of its own. */
  readonly isFrozen: boolean;
  /** Those that do not count against the same limits. */
  readonly otherMarks: readonly Mark[];
  readonly onMark: (markId: string) => void;
}

export function QueueNotices({ summary, queue, limits, isFrozen, otherMarks, onMark }: QueueNoticesProps) {
  const { counts, isRunning, stopReason } = summary;
  const left = limits && remainingFiles(limits);
  const isLimited = typeof stopReason === 'object';
  const similar = summary.rows.filter((row) => row.state === 'waiting' && row.similar.length > 0).length;
  const wayOut = <OtherMarks marks={otherMarks} onMark={onMark} />;
  return (
    <>
      {similar > 0 && (
        <Notice tone="warn" title={texts.similarTitle(similar)}>
          <p>{texts.similarText(similar)}</p>
        </Notice>
      )}
      {counts.missing > 0 && (
        <Notice tone="warn" title={texts.missingTitle(counts.missing)}>
          <p>{texts.missingText(counts.missing)}</p>
        </Notice>
      )}
      {isRunning && stopReason === 'network' && <ServiceUnreachable queue={queue} />}
      {isRunning && stopReason === 'login' && (
        <Notice tone="warn" title={texts.pausedTitle}>
          <p>{texts.pausedForLogin}</p>
        </Notice>
      )}
      {isRunning && isLimited && !isFrozen && (
        <Notice
          tone="warn"
          isAlert
          title={texts.limitReachedFor(counts.waiting)}
          actions={<Button onClick={() => queue.pause()}>{texts.pause}</Button>}
        >
          <p>{limits ? <RemainingFiles limits={limits} /> : texts.limitOfOwner}</p>
          <p>
            {texts.staysInList} <TiersLink />
          </p>
          {wayOut}
        </Notice>
      )}
      {!isRunning && !isFrozen && limits && left !== undefined && counts.waiting > left && (
        <Notice tone="warn" title={left === 0 ? texts.limitReached : texts.onlySome(left)}>
          <p>
            <RemainingFiles limits={limits} />
          </p>
          <p>
            {texts.someStay(counts.waiting - left)} <TiersLink />
          </p>
          {wayOut}
        </Notice>
      )}
    </>
  );
}

function TiersLink() {
  return <Link to="/dashboard/account/tier">{texts.viewTiers}</Link>;
}

/** Nothing without such a Mark. */
function OtherMarks({ marks, onMark }: { readonly marks: readonly Mark[]; readonly onMark: (id: string) => void }) {
  if (marks.length === 0) return null;
  const options = marks.map(({ id, name, organization, owner, admin }) => ({
    id,
    name: texts.markOfOwner(name, (organization ?? owner ?? admin).name),
  }));
  return (
    <SelectField
      label={texts.otherMarkLabel}
      hint={texts.otherMarkHint}
      options={[{ id: '', name: texts.chooseMark }, ...options]}
      value=""
      onSelect={(id) => id !== '' && onMark(id)}
    />
  );
}

function ServiceUnreachable({ queue }: { readonly queue: Queue }) {
  const actions = <Button onClick={() => queue.resumeAfter('network')}>{texts.tryNow}</Button>;
  return (
    <Notice tone="warn" isAlert title={texts.unreachableTitle} actions={actions}>
      <p>{texts.unreachableText}</p>
    </Notice>
  );
}

/** How many files are left, under which limit, and when it resets. */
function RemainingFiles({ limits }: { readonly limits: TierLimits }) {
  const { usage, lifetimeArtifactLimit, dailyArtifactLimit, resetsAt } = limits;
  const left = remainingFiles(limits);
  if (remaining(usage.lifetimeArtifacts, lifetimeArtifactLimit) === left) {
    return <>{texts.leftInTotal(left, lifetimeArtifactLimit)}</>;
  }
  return <>{texts.leftToday(left, dailyArtifactLimit, <ResetTime at={resetsAt} />)}</>;
}

// Notices about what stops the queue, or will stop it.

import type { TierLimits } from '@provenance-registry/core';
import { Button } from '../../../ui/Button.js';
import { formatNumber, pluralize } from '../../../ui/format.js';
import { Link } from '../../../ui/Link.js';
import { Notice } from '../../../ui/Notice.js';
import { ResetTime, remaining, remainingFiles } from '../tierLimits.js';
import type { Queue, QueueSummary } from './queue.js';

interface QueueNoticesProps {
  readonly summary: QueueSummary;
  readonly queue: Queue;
  /** Of the owner of the selected Mark, where the user may see them. */
  readonly limits: TierLimits | undefined;
  /** The owner is a frozen organization, which has a notice of its own. */
  readonly isFrozen: boolean;
}

export function QueueNotices({ summary, queue, limits, isFrozen }: QueueNoticesProps) {
  const { counts, isRunning, stopReason } = summary;
  const left = limits && remainingFiles(limits);
  const isLimited = typeof stopReason === 'object';
  const similar = summary.rows.filter((row) => row.state === 'waiting' && row.similar.length > 0).length;
  return (
    <>
      {similar > 0 && <SimilarNotice number={similar} />}
      {counts.missing > 0 && <MissingFiles number={counts.missing} />}
      {isRunning && stopReason === 'network' && <ServiceUnreachable queue={queue} />}
      {isRunning && stopReason === 'login' && (
        <Notice tone="warn" title="Registration is paused">
          <p>It continues when you log in again.</p>
        </Notice>
      )}
      {isRunning && isLimited && !isFrozen && <LimitReached waiting={counts.waiting} limits={limits} />}
      {!isRunning && !isFrozen && limits && left !== undefined && counts.waiting > left && (
        <LimitWarning waiting={counts.waiting} left={left} limits={limits} />
      )}
    </>
  );
}

function SimilarNotice({ number }: { readonly number: number }) {
  const [verb, file] = number === 1 ? ['looks', 'this file'] : ['look', 'these files'];
  return (
    <Notice tone="warn" title={`${pluralize(number, 'file')} in the list ${verb} like files that others registered`}>
      <p>
        That does not say that they are the same, or who made them. If you made {file}, or may speak for the maker, you
        can register {number === 1 ? 'it' : 'them'}; the older Mark’s owner will see the resemblance.
      </p>
    </Notice>
  );
}

function MissingFiles({ number }: { readonly number: number }) {
  return (
    <Notice tone="warn" title={`Choose ${pluralize(number, 'file')} again`}>
      <p>
        The page was closed before {number === 1 ? 'it was' : 'they were'} hashed or sent, and browsers cannot store
        files. Drop or choose {number === 1 ? 'it' : 'them, or their folder,'} again to continue.
      </p>
    </Notice>
  );
}

function ServiceUnreachable({ queue }: { readonly queue: Queue }) {
  const actions = <Button onClick={() => queue.resumeAfter('network')}>Try now</Button>;
  return (
    <Notice tone="warn" isAlert title="The service cannot be reached" actions={actions}>
      <p>Nothing is lost. Registration continues as soon as the service responds.</p>
    </Notice>
  );
}

function LimitReached({ waiting, limits }: { waiting: number; limits: TierLimits | undefined }) {
  return (
    <Notice tone="warn" isAlert title={`Limit reached: ${pluralize(waiting, 'file')} not registered`}>
      <p>
        {limits ? <RemainingFiles limits={limits} /> : 'The owner of this Mark has reached the limit of their tier.'}
      </p>
      <p>
        They stay in the list. <Link to="/dashboard/account/tier">View tiers</Link>
      </p>
    </Notice>
  );
}

function LimitWarning({ waiting, left, limits }: { waiting: number; left: number; limits: TierLimits }) {
  const title = left === 0 ? 'Limit reached' : `Only ${formatNumber(left)} of these files can be registered now`;
  return (
    <Notice tone="warn" title={title}>
      <p>
        <RemainingFiles limits={limits} />
      </p>
      <p>
        {pluralize(waiting - left, 'file')} will stay in the list. <Link to="/dashboard/account/tier">View tiers</Link>
      </p>
    </Notice>
  );
}

/** How many files are left, under which limit, and when it resets. */
function RemainingFiles({ limits }: { readonly limits: TierLimits }) {
  const { usage, lifetimeArtifactLimit, dailyArtifactLimit, resetsAt } = limits;
  const left = remainingFiles(limits);
  if (remaining(usage.lifetimeArtifacts, lifetimeArtifactLimit) === left) {
    return (
      <>
        {formatNumber(left)} of {pluralize(lifetimeArtifactLimit, 'file')} in total left. This limit does not reset:
        choose another tier for more.
      </>
    );
  }
  return (
    <>
      {formatNumber(left)} of {pluralize(dailyArtifactLimit, 'file')} left today. <ResetTime at={resetsAt} />.
    </>
  );
}

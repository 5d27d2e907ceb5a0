// Why work stands still or will not get through, before and after it is tried.

import type { TierLimits } from '@provenance-registry/core';
import { Link } from '../../../routing.js';
import { Button } from '../../../ui/Button.js';
import { count, whole } from '../../../ui/format.js';
import { Notice } from '../../../ui/Notice.js';
import { filesLeft, leftOf, Reset } from '../UsageMeters.js';
import type { Queue, Summary } from './queue.js';

interface ObstaclesProps {
  readonly summary: Summary;
  readonly queue: Queue;
  /** Of whoever owns the chosen Mark, where they may be known. */
  readonly limits: TierLimits | undefined;
  /** That owner is a frozen organization, which is told elsewhere. */
  readonly isFrozen: boolean;
}

export function Obstacles({ summary, queue, limits, isFrozen }: ObstaclesProps) {
  const { counts, isRunning, halt } = summary;
  const left = limits && filesLeft(limits);
  return (
    <>
      {counts.missing > 0 && <Missing number={counts.missing} />}
      {isRunning && halt === 'network' && <ServiceUnreachableError queue={queue} />}
      {isRunning && halt === 'login' && <LoggedOut />}
      {isRunning && typeof halt === 'object' && !isFrozen && <LimitReached waiting={counts.waiting} limits={limits} />}
      {!isRunning && !isFrozen && limits && left !== undefined && counts.waiting > left && (
        <TooMany waiting={counts.waiting} left={left} limits={limits} />
      )}
    </>
  );
}

function Missing({ number }: { readonly number: number }) {
  return (
    <Notice tone="warn" title={`${count(number, 'file')} must be chosen again`}>
      <p>
        The page was left before {number === 1 ? 'it had its fingerprint' : 'they had their fingerprints'}, and a
        browser may not keep files. Drop or choose {number === 1 ? 'it' : 'them, or their folder,'} again to go on.
      </p>
    </Notice>
  );
}

function ServiceUnreachableError({ queue }: { readonly queue: Queue }) {
  const actions = <Button onClick={() => queue.goOnAfter('network')}>Try now</Button>;
  return (
    <Notice tone="warn" isAlert title="The service cannot be reached" actions={actions}>
      <p>Nothing is lost. Work goes on by itself as soon as the service answers.</p>
    </Notice>
  );
}

function LoggedOut() {
  return (
    <Notice tone="warn" title="Work is paused">
      <p>It goes on when you have logged in again.</p>
    </Notice>
  );
}

function LimitReached({ waiting, limits }: { waiting: number; limits: TierLimits | undefined }) {
  return (
    <Notice tone="warn" isAlert title={`Stopped: ${count(waiting, 'file')} could not be registered`}>
      <p>{limits ? <Left limits={limits} /> : 'The owner of this Mark may register no more files for now.'}</p>
      <p>
        They stay in the list. <Link to="/dashboard/account">See the tiers</Link>
      </p>
    </Notice>
  );
}

function TooMany({ waiting, left, limits }: { waiting: number; left: number; limits: TierLimits }) {
  return (
    <Notice tone="warn" title={left === 0 ? 'No more files for now' : `Only ${whole.format(left)} of these will fit`}>
      <p>
        <Left limits={limits} />
      </p>
      <p>
        {left === 0 ? `The ${count(waiting, 'file')} here wait` : `${count(waiting - left, 'file')} will wait`} in the
        list. <Link to="/dashboard/account">See the tiers</Link>
      </p>
    </Notice>
  );
}

/** How many more, which limit says so, and when it begins anew. */
function Left({ limits }: { readonly limits: TierLimits }) {
  const { usage, lifetimeArtifactLimit, dailyArtifactLimit, resetsAt } = limits;
  const left = filesLeft(limits);
  if (leftOf(usage.lifetimeArtifacts, lifetimeArtifactLimit) === left) {
    return (
      <>
        {count(left, 'file')} of the {whole.format(lifetimeArtifactLimit)} that this tier allows in all{' '}
        {left === 1 ? 'is' : 'are'} left. This limit does not begin anew: another tier allows more.
      </>
    );
  }
  return (
    <>
      {count(left, 'file')} of the {whole.format(dailyArtifactLimit)} for today {left === 1 ? 'is' : 'are'} left.{' '}
      <Reset at={resetsAt} />.
    </>
  );
}

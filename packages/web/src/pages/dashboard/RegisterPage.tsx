// Registers many files. They are hashed in the browser, and only their fingerprints are sent, unless the user asks for
// signed copies.

import { isFilename, type Mark, type TierLimits } from '@provenance-registry/core';
import { useCallback, useEffect, useRef, useState } from 'preact/compat';
import * as texts from '#texts/artifacts/register';
import { isCodeRegistrationOn } from '../../lookalikeSwitches.js';
import { navigate, useCurrentUrl, useTitle } from '../../routing.js';
import { useStore } from '../../store.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { QueryView } from '../../ui/feedback/query.js';
import { SelectField } from '../../ui/form/Field.js';
import * as basics from '../../ui/layout/basics.module.css';
import { parseFingerprint } from '../verify/parseFingerprint.js';
import { useAccount, useAuthedQuery } from './account.js';
import { markEvents } from './live/eventFilters.js';
import { NewMarkCard } from './marks/NewMarkCard.js';
import { FrozenNotice } from './organizations/FrozenNotice.js';
import { QueueOptionFields } from './registrationQueue/CopyControls.js';
import { LastReceipt } from './registrationQueue/LastReceipt.js';
import { summaryText } from './registrationQueue/messages.js';
import { FingerprintForm, QueueInput } from './registrationQueue/QueueInput.js';
import { QueueList } from './registrationQueue/QueueList.js';
import { QueueNotices } from './registrationQueue/QueueNotices.js';
import type { QueueSummary } from './registrationQueue/queue.js';
import { type Candidate, candidateFromFingerprint } from './registrationQueue/queueRow.js';

export function RegisterPage() {
  useTitle(texts.title);
  const { client } = useAccount();
  const query = useAuthedQuery(
    useCallback((signal: AbortSignal) => client.listMarks({ signal }), [client]),
    markEvents,
  );
  return (
    <div className={basics.stack}>
      <div>
        <h1>{texts.title}</h1>
        <p className={basics.quiet}>{texts.lead}</p>
      </div>
      <QueryView query={query} what={texts.marks}>
        {(marks) =>
          marks.every(({ isClosed }) => isClosed) ? (
            <NewMarkCard title={texts.createMark} onCreated={query.reload} />
          ) : (
            <RegistrationQueue marks={marks} />
          )
        }
      </QueryView>
    </div>
  );
}

function RegistrationQueue({ marks }: { readonly marks: readonly Mark[] }) {
  const { userQueue, organizations } = useAccount();
  const { queue } = userQueue;
  const isPersistent = useStore(userQueue.isPersistent);
  const summary = useStore(queue.summary);
  const openMarks = marks.filter(({ isClosed }) => !isClosed);
  const mark = useSelectedMark(openMarks);
  const { stopReason } = summary;
  const limitedMarkId = typeof stopReason === 'object' ? stopReason.limitedMarkId : mark.id;
  const limitedMark = marks.find(({ id }) => id === limitedMarkId) ?? mark;
  const limits = useLimits(limitedMark, summary);
  const [unnamedFingerprint, setUnnamedFingerprint] = useState<string>();
  const add = useCallback(
    (candidates: readonly Candidate[]) => {
      if (candidates.length > 0) announce(texts.added(queue.add(mark.id, candidates)));
    },
    [queue, mark.id],
  );
  useFileFromAddress(add, setUnnamedFingerprint);
  useCompletionAnnouncement(summary);
  const isOn = useStore(isCodeRegistrationOn);
  useEffect(() => queue.setCodes({ isOn, marks }), [queue, isOn, marks]);
  // At a limit, another Mark is the way out.
  const isWorking = summary.isRunning && typeof stopReason !== 'object';
  const selectMark = (markId: string) => {
    queue.setMark(markId);
    navigate(`/dashboard/register?mark=${markId}`, { replace: true });
  };
  const owner = organizations.find(({ id }) => id === limitedMark.organization?.id);
  const isFrozen = owner?.status === 'frozen';
  return (
    <>
      {!isPersistent && (
        <Notice tone="warn" title={texts.notPersistentTitle}>
          <p>{texts.notPersistent}</p>
        </Notice>
      )}
      <SelectField
        label={texts.markLabel}
        hint={isWorking ? texts.markLocked : texts.markHint}
        options={openMarks}
        value={mark.id}
        disabled={isWorking}
        onSelect={selectMark}
      />
      {owner && isFrozen && <FrozenNotice organization={owner} />}
      <QueueOptionFields summary={summary} queue={queue} mark={mark} />
      <QueueInput onCandidates={add} />
      <FingerprintForm key={unnamedFingerprint} fingerprint={unnamedFingerprint} onCandidates={add} />
      <QueueNotices
        summary={summary}
        queue={queue}
        limits={limits}
        isFrozen={isFrozen}
        otherMarks={openMarks.filter((other) => ownerId(other) !== ownerId(limitedMark))}
        onMark={selectMark}
      />
      {summary.rows.length > 0 && (
        <QueueList summary={summary} queue={queue} marks={marks} selected={mark} isFrozen={isFrozen} />
      )}
      {!isWorking && <LastReceipt rows={summary.rows} />}
    </>
  );
}

/** Whose limits its files count against. */
function ownerId({ organization, owner }: Mark): string | undefined {
  return organization?.id ?? owner?.id;
}

/** The Mark in the address. */
function useSelectedMark(marks: readonly Mark[]): Mark {
  const requestedId = useCurrentUrl().searchParams.get('mark');
  const mark = marks.find(({ id }) => id === requestedId) ?? marks[0];
  if (!mark) throw new Error('There is no Mark to choose from.');
  return mark;
}

/** The limits of the owner, loaded again whenever the queue stops. Undefined when another user owns the Mark. */
function useLimits({ owner, organization }: Mark, { isRunning, stopReason }: QueueSummary): TierLimits | undefined {
  const { user, client } = useAccount();
  const organizationId = organization?.id;
  const isVisible = organizationId !== undefined || owner?.id === user.id;
  const load = useCallback(
    async (signal: AbortSignal) => (isVisible ? client.getTierLimits({ organizationId }, { signal }) : undefined),
    [client, organizationId, isVisible],
  );
  const { value, reload } = useAuthedQuery(load);
  const isStopped = !isRunning || stopReason !== undefined;
  const wasStopped = useRef(isStopped);
  useEffect(() => {
    if (isStopped && !wasStopped.current) reload();
    wasStopped.current = isStopped;
  }, [isStopped, reload]);
  return value;
}

/** Adds the file of a link such as `#fingerprint=0x…&filename=a.jpg`; asks for its name if that is missing. */
function useFileFromAddress(
  add: (candidates: readonly Candidate[]) => void,
  askForName: (fingerprint: string) => void,
): void {
  const { hash, pathname, search } = useCurrentUrl();
  useEffect(() => {
    const fields = Object.fromEntries(new URLSearchParams(hash.slice(1)));
    const parsed = parseFingerprint(fields['fingerprint'] ?? '');
    if (!('fingerprint' in parsed)) return;
    const filename = fields['filename'] ?? '';
    if (isFilename(filename)) add([candidateFromFingerprint(parsed.fingerprint, filename, fields)]);
    else askForName(parsed.fingerprint);
    // A reload must not add it again.
    navigate(pathname + search, { replace: true });
  }, [hash, pathname, search, add, askForName]);
}

/** Announces the result, not each step. */
function useCompletionAnnouncement(summary: QueueSummary): void {
  const wasRunning = useRef(summary.isRunning);
  useEffect(() => {
    if (wasRunning.current && !summary.isRunning) announce(summaryText(summary));
    wasRunning.current = summary.isRunning;
  }, [summary]);
}

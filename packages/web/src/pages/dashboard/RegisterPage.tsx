// Registering many files: hashed here, so that they stay where they are, and sent as fingerprints.

import { isFilename, type Mark, type TierLimits } from '@provenance-registry/core';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { navigate, useAddress, useTitle } from '../../routing.js';
import { Field } from '../../ui/Field.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { Loading } from '../../ui/QueryView.js';
import { readPasted } from '../verify/parseFingerprint.js';
import { useAccount } from './account.js';
import { NewMark } from './MarksPage.js';
import { Frozen } from './OrganizationPage.js';
import { addedWords, sumOf } from './registrationQueue/messages.js';
import { ByFingerprint, Intake } from './registrationQueue/QueueInput.js';
import { FileList } from './registrationQueue/QueueList.js';
import { Obstacles } from './registrationQueue/QueueNotices.js';
import type { Queue, Summary } from './registrationQueue/queue.js';
import { type Candidate, candidateWithoutFile } from './registrationQueue/queueRow.js';
import { registrationsOf } from './registrationQueue/userQueue.js';
import { useAuthedQuery } from './useAuthedQuery.js';

export function RegisterPage() {
  useTitle('Register files');
  const { service } = useAccount();
  const marks = useAuthedQuery(useCallback((signal: AbortSignal) => service.listMarks({ signal }), [service]));
  return (
    <div className="stack">
      <div>
        <h1>Register files</h1>
        <p className="quiet">
          Your files stay on this device. Only their fingerprints are sent, with name, type, size and date of change.
        </p>
      </div>
      <Loading of={marks} what="your Marks">
        {(list) =>
          list.length === 0 ? (
            <NewMark title="First, make a Mark to register files under" onMade={marks.reload} />
          ) : (
            <Registering marks={list} />
          )
        }
      </Loading>
    </div>
  );
}

function Registering({ marks }: { readonly marks: readonly Mark[] }) {
  const { user, service, organizations } = useAccount();
  const { queue, isKeeping } = registrationsOf(user.id, service);
  const summary = useSyncExternalStore(queue.subscribe, queue.summary);
  const mark = useChosenMark(marks);
  const limited = stoppedAt(summary, marks) ?? mark;
  const limits = useLimitsOf(limited, summary);
  const [byHand, setByHand] = useState<string>();
  const add = useAdding(queue, mark.id);
  useFileFromAddress(add, setByHand);
  useToldOutcome(summary);
  const owner = organizations.find(({ id }) => id === limited.organization?.id);
  const isFrozen = owner?.status === 'frozen';
  return (
    <>
      {!isKeeping() && <NotKept />}
      <MarkField marks={marks} chosen={mark} queue={queue} isRunning={summary.isRunning} />
      {owner && isFrozen && <Frozen organization={owner} />}
      <Intake onCandidates={add} />
      <ByFingerprint key={byHand} fingerprint={byHand} onCandidates={add} />
      <Obstacles summary={summary} queue={queue} limits={limits} isFrozen={isFrozen} />
      {summary.rows.length > 0 && (
        <FileList summary={summary} queue={queue} marks={marks} chosen={mark} isFrozen={isFrozen} />
      )}
    </>
  );
}

/** The Mark whose owner may register no more, when that is what work stands still for. */
function stoppedAt({ halt }: Summary, marks: readonly Mark[]): Mark | undefined {
  return typeof halt === 'object' ? marks.find(({ id }) => id === halt.limitOf) : undefined;
}

/** The one that the address names. */
function useChosenMark(marks: readonly Mark[]): Mark {
  const wanted = useAddress().searchParams.get('mark');
  const mark = marks.find(({ id }) => id === wanted) ?? marks[0];
  if (!mark) throw new Error('There is no Mark to choose from.');
  return mark;
}

/** What may still be registered under that Mark, counted anew whenever work has come to an end. */
function useLimitsOf({ owner, organization }: Mark, { isRunning, halt }: Summary): TierLimits | undefined {
  const { user, service } = useAccount();
  const organizationId = organization?.id;
  const isKnown = organizationId !== undefined || owner?.id === user.id;
  const load = useCallback(
    async (signal: AbortSignal) => {
      // What others may register is their own business.
      return isKnown ? service.getTierLimits({ organizationId }, { signal }) : undefined;
    },
    [service, organizationId, isKnown],
  );
  const { value, reload } = useAuthedQuery(load);
  const isStill = !isRunning || halt !== undefined;
  const wasStill = useRef(isStill);
  useEffect(() => {
    if (isStill && !wasStill.current) reload();
    wasStill.current = isStill;
  }, [isStill, reload]);
  return value;
}

function useAdding(queue: Queue, markId: string): (candidates: readonly Candidate[]) => void {
  return useCallback(
    (candidates) => {
      if (candidates.length > 0) announce(addedWords(queue.add(markId, candidates)));
    },
    [queue, markId],
  );
}

/** A link such as `#fingerprint=0x…&filename=a.jpg` brings a file that was hashed on another page. */
function useFileFromAddress(add: (candidates: Candidate[]) => void, askFor: (fingerprint: string) => void): void {
  const { hash, pathname, search } = useAddress();
  useEffect(() => {
    const about = Object.fromEntries(new URLSearchParams(hash.slice(1)));
    const pasted = readPasted(about['fingerprint'] ?? '');
    if (!('fingerprint' in pasted)) return;
    const filename = about['filename'] ?? '';
    if (isFilename(filename)) add([candidateWithoutFile(pasted.fingerprint, filename, about)]);
    else askFor(pasted.fingerprint);
    // So that a reload does not bring it once more.
    navigate(pathname + search, { replace: true });
  }, [hash, pathname, search, add, askFor]);
}

/** Screen readers hear how it ended, and not every step on the way. */
function useToldOutcome(summary: Summary): void {
  const wasRunning = useRef(summary.isRunning);
  useEffect(() => {
    if (wasRunning.current && !summary.isRunning) announce(sumOf(summary));
    wasRunning.current = summary.isRunning;
  }, [summary]);
}

function NotKept() {
  return (
    <Notice tone="warn" title="This list will not survive a reload">
      <p>Your browser does not let this page keep anything, or its storage is full. Everything works in this tab.</p>
    </Notice>
  );
}

interface MarkFieldProps {
  readonly marks: readonly Mark[];
  readonly chosen: Mark;
  readonly queue: Queue;
  readonly isRunning: boolean;
}

function MarkField({ marks, chosen, queue, isRunning }: MarkFieldProps) {
  const choose = (markId: string) => {
    queue.setMark(markId);
    navigate(`/dashboard/register?mark=${markId}`, { replace: true });
  };
  return (
    <Field
      label="Register under"
      hint={
        isRunning
          ? 'Files are being registered. Pause first to choose another Mark.'
          : 'Registering is for good: neither file nor Mark can be changed later.'
      }
    >
      {(connections) => (
        <select
          {...connections}
          value={chosen.id}
          disabled={isRunning}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {marks.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

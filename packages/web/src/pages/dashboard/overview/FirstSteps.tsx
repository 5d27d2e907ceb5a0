// Leads a new user to the first registered file: a Mark, a file, and the result.

import type { Mark } from '@provenance-registry/core';
import { type ReactNode, useCallback, useEffect, useState } from 'preact/compat';
import * as texts from '#texts/accounts/overview';
import { isCodeRegistrationOn } from '../../../lookalikeSwitches.js';
import { navigate } from '../../../routing.js';
import { useStore } from '../../../store.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { Notice } from '../../../ui/feedback/Notice.js';
import { FileChooser } from '../../../ui/file/FileChooser.js';
import { FileName } from '../../../ui/file/FileName.js';
import { type PickedFile, useFileDrop } from '../../../ui/file/useFileDrop.js';
import { Button, buttonClass } from '../../../ui/form/Button.js';
import { Form, TextField } from '../../../ui/form/Form.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { CopyButton } from '../../../ui/text/CopyButton.js';
import { Icon } from '../../../ui/text/Icon.js';
import { Link } from '../../../ui/text/Link.js';
import { validateName } from '../../../validators.js';
import { useAccount } from '../account.js';
import { Namesakes } from '../marks/Namesakes.js';
import type { QueueSummary } from '../registrationQueue/queue.js';
import { candidateFromFile, type QueueRow } from '../registrationQueue/queueRow.js';
import * as styles from './FirstSteps.module.css';

interface FirstStepsProps {
  /** At most one of the user's own Marks. */
  readonly marks: readonly Mark[];
  /** Called when the Mark is created, and when the file is registered. */
  readonly onChange: () => void;
}

export function FirstSteps({ marks, onChange }: FirstStepsProps) {
  const { queue } = useAccount().userQueue;
  const [created, setCreated] = useState<Mark>();
  const mark = marks[0] ?? created;
  const summary = useStore(queue.summary);
  const row = summary.rows.at(-1);
  const isOn = useStore(isCodeRegistrationOn);
  useEffect(() => {
    if (mark) queue.setCodes({ isOn, marks: [mark] });
  }, [queue, isOn, mark]);
  const isDone = isRegistered(row);
  useEffect(() => {
    if (created || isDone) onChange();
  }, [created, isDone, onChange]);
  return (
    <Card title={texts.firstSteps}>
      <p className={basics.quiet}>{texts.firstStepsLead}</p>
      <ol className={`${basics.stack} ${basics.list} ${styles.steps}`}>
        <Step title={texts.nameStep} isDone={mark !== undefined} isCurrent={!mark}>
          {mark ? (
            <p>
              {texts.markIs(
                <Link to={`/dashboard/marks/${mark.id}`}>
                  <bdi>{mark.name}</bdi>
                </Link>,
              )}
            </p>
          ) : (
            <MarkForm onCreated={setCreated} />
          )}
        </Step>
        <Step title={texts.fileStep} isDone={mark !== undefined && row !== undefined} isCurrent={mark && !row}>
          {mark && <FileStep mark={mark} row={row} />}
        </Step>
        <Step title={texts.registerStep} isDone={isDone} isCurrent={row && !isDone}>
          {mark && row ? (
            <Outcome mark={mark} row={row} summary={summary} />
          ) : (
            <p className={basics.quiet}>{texts.registerStepText}</p>
          )}
        </Step>
      </ol>
    </Card>
  );
}

function isRegistered(row: QueueRow | undefined): boolean {
  return row?.state === 'submitted' || row?.state === 'yours';
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly isCurrent: boolean | undefined;
  readonly children: ReactNode;
}

function Step({ title, isDone, isCurrent, children }: StepProps) {
  return (
    <li className={isDone ? styles.done : undefined} aria-current={isCurrent ? 'step' : undefined}>
      <h3>
        {title}
        {isDone && <Icon name="check" />}
      </h3>
      {children}
    </li>
  );
}

function MarkForm({ onCreated }: { readonly onCreated: (mark: Mark) => void }) {
  const { user, client } = useAccount();
  const [name, setName] = useState(user.name);
  const create = async (values: { name: string }) => {
    const mark = await client.createMark({ name: values.name.trim() });
    announce(texts.markCreated);
    onCreated(mark);
  };
  return (
    <>
      <p>{texts.nameStepText}</p>
      <Form
        validators={{ name: validateName }}
        submit={create}
        action={texts.createMark}
        busyAction={texts.creatingMark}
        otherActions={<Link to="/dashboard/marks">{texts.allOptions}</Link>}
      >
        <TextField
          name="name"
          label={texts.markName}
          hint={texts.markNameHint}
          defaultValue={user.name}
          autoComplete="off"
          onType={setName}
        />
        <Namesakes name={name} ownId={undefined} />
      </Form>
    </>
  );
}

function FileStep({ mark, row }: { readonly mark: Mark; readonly row: QueueRow | undefined }) {
  const { queue } = useAccount().userQueue;
  const onPicked = useCallback(
    (picked: readonly PickedFile[]) => {
      if (picked.length === 0) return;
      // The file that was chosen before, if it is not registered yet.
      for (const { id, state } of queue.rows()) if (state === 'waiting' || state === 'missing') queue.remove(id);
      queue.add(
        mark.id,
        picked.map(({ file, folder }) => candidateFromFile(file, folder)),
      );
      if (picked.length > 1) navigate(`/dashboard/register?mark=${mark.id}`);
    },
    [queue, mark.id],
  );
  useFileDrop(onPicked);
  return (
    <>
      <p>{row ? texts.chosenFile(<bdi>{row.filename}</bdi>) : texts.fileStepText}</p>
      {!isRegistered(row) && (
        <div className={basics.row}>
          <FileChooser
            label={row ? texts.chooseAnother : texts.chooseFile}
            kind={row ? 'plain' : 'primary'}
            isSingle
            onFiles={onPicked}
          />
          {!row && <span className={`${basics.quiet} ${styles.drop}`}>{texts.dropHint}</span>}
        </div>
      )}
    </>
  );
}

interface OutcomeProps {
  readonly mark: Mark;
  readonly row: QueueRow;
  readonly summary: QueueSummary;
}

function Outcome({ mark, row, summary }: OutcomeProps) {
  const { queue } = useAccount().userQueue;
  const { filename, state, note } = row;
  const pageActions = row.fingerprint !== undefined && (
    <>
      <Link to={`/artifacts/${row.fingerprint}`} className={buttonClass('primary')}>
        {texts.viewFile}
      </Link>
      <CopyButton text={`${location.origin}/artifacts/${row.fingerprint}`} what={texts.theLink} />
    </>
  );
  const list = (
    <Link to={`/dashboard/register?mark=${mark.id}`} className={buttonClass()}>
      {texts.openList}
    </Link>
  );
  switch (state) {
    case 'waiting':
    case 'hashing':
    case 'sending':
    case 'pending':
    case 'submitting':
      if (summary.stopReason !== undefined) return <Notice tone="warn" title={texts.stopped} actions={list} />;
      if (state === 'waiting' && !summary.isRunning) {
        return (
          <>
            <p>{texts.permanent(<FileName name={filename} />, <bdi>{mark.name}</bdi>)}</p>
            <Button kind="primary" onClick={() => queue.start()}>
              {texts.register}
            </Button>
          </>
        );
      }
      return <p role="status">{texts.progress[state]}</p>;
    case 'submitted':
    case 'yours': {
      const more = (
        <Link to={`/dashboard/register?mark=${mark.id}`} className={buttonClass()}>
          {texts.registerMore}
        </Link>
      );
      const title = state === 'yours' ? texts.alreadyYours : texts.registered;
      return (
        <Notice
          tone="good"
          title={title}
          isAlert
          actions={
            <>
              {pageActions}
              {more}
            </>
          }
        >
          <p>{texts.registeredText}</p>
        </Notice>
      );
    }
    case 'others':
      return (
        <Notice tone="warn" title={texts.alreadyOthers} isAlert actions={pageActions}>
          <p>{texts.alreadyOthersText}</p>
        </Notice>
      );
    case 'missing':
      return <p role="status">{texts.missing}</p>;
    case 'failed': {
      const retry = () => {
        queue.retry(row.id);
        queue.start();
      };
      const actions = (
        <>
          <Button onClick={retry}>{texts.tryAgain}</Button>
          {list}
        </>
      );
      return (
        <Notice tone="bad" title={texts.failed} isAlert actions={actions}>
          {note !== undefined && <p>{note}</p>}
        </Notice>
      );
    }
  }
}

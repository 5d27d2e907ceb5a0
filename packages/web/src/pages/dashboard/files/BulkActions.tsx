// What can be done with the selected files.

import type { Artifact } from '@provenance-registry/core';
import { MAX_RENDITIONS } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/artifacts/files';
import { navigate } from '../../../routing.js';
import { COPY_FORMATS } from '../../../ui/artifact/signedCopies.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { Notice } from '../../../ui/feedback/Notice.js';
import { FileChooser } from '../../../ui/file/FileChooser.js';
import { Button } from '../../../ui/form/Button.js';
import { Dialog } from '../../../ui/form/Dialog.js';
import { Choice, Form } from '../../../ui/form/Form.js';
import * as basics from '../../../ui/layout/basics.module.css';
import * as cardStyles from '../../../ui/layout/Card.module.css';
import { copyText } from '../../../ui/text/copyText.js';
import { MAX_SHEET_FILES, sheetAddress } from '../../contactSheet/sheetLink.js';
import { useAccount } from '../account.js';
import * as styles from './BulkActions.module.css';
import { useBulkTask } from './bulkTask.js';
import { createCopyTask } from './copyTask.js';
import { TaskPanel } from './TaskPanel.js';
import { createVisibilityTask } from './visibilityTask.js';

interface BulkActionsProps {
  readonly selected: readonly Artifact[];
  /** Called with what an action has changed. */
  readonly onChanged: (artifact: Artifact) => void;
}

export function BulkActions({ selected, onChanged }: BulkActionsProps) {
  const { client, user } = useAccount();
  const { state, start, cancel, close } = useBulkTask();
  const [open, setOpen] = useState<'copies' | 'visibility'>();
  const [message, setMessage] = useState('');
  const isDisabled = selected.length === 0 || state?.isRunning === true;
  const begin = (next?: typeof open) => {
    close();
    setMessage('');
    setOpen(next);
  };
  const makeBundles = async () => {
    begin();
    const { createBundleTask } = await import('./bundleTask.js');
    start(createBundleTask(client, selected));
  };
  const makeCopies = (files: readonly File[]) => {
    begin();
    if (files.length > 0) start(createCopyTask(client, selected, files));
  };
  const setVisibility = async (visibility: 'public' | 'private') => {
    begin();
    start(createVisibilityTask({ client, userId: user.id, artifacts: selected, visibility, onChanged }));
  };
  const copyLinks = async () => {
    begin();
    const links = selected.map(({ fingerprint }) => `${location.origin}/artifacts/${fingerprint}`);
    const text = (await copyText(links.join('\n'))) ? texts.linksCopied(links.length) : texts.copyFailed;
    setMessage(text);
    announce(text);
  };
  const openSheet = () => {
    begin();
    const fingerprints = [...new Set(selected.map(({ fingerprint }) => fingerprint))];
    if (fingerprints.length <= MAX_SHEET_FILES) navigate(sheetAddress({ title: '', fingerprints }));
    else setMessage(texts.sheetTooLong(MAX_SHEET_FILES));
  };
  return (
    <>
      <fieldset className={styles.actions}>
        <legend className={basics.visuallyHidden}>{texts.actions}</legend>
        <Button isBusy={isDisabled} onClick={openSheet}>
          {texts.contactSheet}
        </Button>
        <Button isBusy={isDisabled} onClick={makeBundles}>
          {texts.makeBundles}
        </Button>
        <Button isBusy={isDisabled} onClick={() => begin('copies')}>
          {texts.makeCopies}
        </Button>
        <Button isBusy={isDisabled} onClick={() => begin('visibility')}>
          {texts.changeVisibility}
        </Button>
        <Button isBusy={isDisabled} onClick={copyLinks}>
          {texts.copyLinks}
        </Button>
      </fieldset>
      {message !== '' && <Notice>{message}</Notice>}
      {open === 'copies' && (
        <section className={cardStyles.card} aria-label={texts.copiesTitle}>
          <h2>{texts.copiesTitle}</h2>
          <p>{texts.copiesLead(COPY_FORMATS, MAX_RENDITIONS)}</p>
          <div className={basics.row}>
            <FileChooser
              label={texts.chooseOriginals}
              kind="primary"
              onFiles={(picked) => makeCopies(picked.map(({ file }) => file))}
            />
            <Button onClick={() => setOpen(undefined)}>{texts.cancel}</Button>
          </div>
        </section>
      )}
      {open === 'visibility' && (
        <VisibilityDialog number={selected.length} onSet={setVisibility} onClose={() => setOpen(undefined)} />
      )}
      {state && <TaskPanel state={state} onStart={start} onCancel={cancel} onClose={close} />}
    </>
  );
}

interface VisibilityDialogProps {
  readonly number: number;
  readonly onSet: (visibility: 'public' | 'private') => Promise<void>;
  readonly onClose: () => void;
}

function VisibilityDialog({ number, onSet, onClose }: VisibilityDialogProps) {
  const [visibility, setVisibility] = useState<'public' | 'private'>('private');
  return (
    <Dialog title={texts.visibilityTitle} onClose={onClose}>
      <p>{texts.visibilityScope(number)}</p>
      <Form
        validators={{}}
        submit={() => onSet(visibility)}
        action={visibility === 'public' ? texts.makePublic : texts.makePrivate}
        busyAction={texts.makePrivate}
        kind="danger"
        otherActions={<Button onClick={onClose}>{texts.cancel}</Button>}
      >
        <Choice
          name="visibility"
          legend={texts.visibilityLegend}
          defaultValue={visibility}
          onSelect={(value) => setVisibility(value === 'public' ? 'public' : 'private')}
          options={[
            { value: 'private', label: texts.privateLabel, hint: texts.privateHint },
            { value: 'public', label: texts.publicLabel, hint: texts.publicHint },
          ]}
        />
        <p>{texts.whatStays}</p>
      </Form>
    </Dialog>
  );
}

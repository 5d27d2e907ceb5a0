// Adds files to the queue: dropped, chosen, or by fingerprint.

import { useCallback } from 'preact/compat';
import * as texts from '#texts/artifacts/register';
import { FileChooser } from '../../../ui/file/FileChooser.js';
import { type PickedFile, useFileDrop } from '../../../ui/file/useFileDrop.js';
import { Form, TextField } from '../../../ui/form/Form.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Icon } from '../../../ui/text/Icon.js';
import { parseFingerprint, validateFingerprint } from '../../verify/parseFingerprint.js';
import * as styles from './QueueInput.module.css';
import { type Candidate, candidateFromFile, candidateFromFingerprint } from './queueRow.js';

interface QueueInputProps {
  readonly onCandidates: (candidates: readonly Candidate[]) => void;
}

export function QueueInput({ onCandidates }: QueueInputProps) {
  const onPicked = useCallback(
    (picked: readonly PickedFile[]) => onCandidates(picked.map(({ file, folder }) => candidateFromFile(file, folder))),
    [onCandidates],
  );
  const isDragging = useFileDrop(onPicked);
  return (
    <div className={`${basics.dropZone} ${styles.zone}`} data-dragging={isDragging || undefined}>
      <Icon name="file" />
      <p className={styles.title}>{isDragging ? texts.dropNow : texts.drop}</p>
      <div className={basics.row}>
        <FileChooser label={texts.chooseFiles} onFiles={onPicked} />
        <FileChooser label={texts.chooseFolder} isFolder onFiles={onPicked} />
      </div>
    </div>
  );
}

interface FingerprintFormProps extends QueueInputProps {
  /** Fingerprint from a link that has no file name. */
  readonly fingerprint: string | undefined;
}

export function FingerprintForm({ fingerprint, onCandidates }: FingerprintFormProps) {
  const add = async (values: { fingerprint: string; filename: string }) => {
    const parsed = parseFingerprint(values.fingerprint);
    if ('fingerprint' in parsed) onCandidates([candidateFromFingerprint(parsed.fingerprint, values.filename.trim())]);
  };
  return (
    <details className={styles.fingerprint} open={fingerprint !== undefined}>
      <summary>{texts.byFingerprint}</summary>
      <Form
        validators={{ fingerprint: validateFingerprint, filename: validateFilename }}
        submit={add}
        action={texts.addToList}
        busyAction={texts.adding}
        kind="plain"
        resetOnSuccess
      >
        <TextField
          name="fingerprint"
          label={texts.fingerprintLabel}
          hint={texts.fingerprintHint}
          defaultValue={fingerprint}
          autoComplete="off"
        />
        <TextField name="filename" label={texts.filenameLabel} autoComplete="off" />
      </Form>
    </details>
  );
}

function validateFilename(text: string): string | undefined {
  return text.trim() === '' ? texts.filenameMissing : undefined;
}

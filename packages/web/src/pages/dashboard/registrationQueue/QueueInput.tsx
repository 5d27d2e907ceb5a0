// Adds files to the queue: dropped, chosen, or by fingerprint.

import { useCallback } from 'preact/compat';
import { FileChooser } from '../../../ui/FileChooser.js';
import { Form, TextField } from '../../../ui/Form.js';
import { Icon } from '../../../ui/Icon.js';
import { type PickedFile, useFileDrop } from '../../../ui/useFileDrop.js';
import { parseFingerprint, validateFingerprint } from '../../verify/parseFingerprint.js';
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
    <div className="queue-drop-zone" data-dragging={isDragging || undefined}>
      <Icon name="file" />
      <p className="queue-drop-title">{isDragging ? 'Drop to add' : 'Drop files or a folder here'}</p>
      <div className="row">
        <FileChooser label="Choose files" onFiles={onPicked} />
        <FileChooser label="Choose a folder" isFolder onFiles={onPicked} />
      </div>
    </div>
  );
}

interface FingerprintFormProps extends QueueInputProps {
  /** From a link that has no file name. */
  readonly fingerprint: string | undefined;
}

export function FingerprintForm({ fingerprint, onCandidates }: FingerprintFormProps) {
  const add = async (values: { fingerprint: string; filename: string }) => {
    const parsed = parseFingerprint(values.fingerprint);
    if ('fingerprint' in parsed) onCandidates([candidateFromFingerprint(parsed.fingerprint, values.filename.trim())]);
  };
  return (
    <details className="queue-fingerprint" open={fingerprint !== undefined}>
      <summary>Register a fingerprint without the file</summary>
      <Form
        validators={{ fingerprint: validateFingerprint, filename: validateFilename }}
        submit={add}
        action="Add to list"
        busyAction="Adding …"
        kind="plain"
        resetOnSuccess
      >
        <TextField
          name="fingerprint"
          label="Fingerprint"
          hint="SHA-256 of the file: 64 hexadecimal digits, with or without 0x."
          defaultValue={fingerprint}
          autoComplete="off"
        />
        <TextField name="filename" label="File name" autoComplete="off" />
      </Form>
    </details>
  );
}

function validateFilename(text: string): string | undefined {
  return text.trim() === '' ? 'Enter a file name, such as sunrise.jpg.' : undefined;
}

// Where files come in: dropped, chosen one by one or as a folder, or named by their fingerprint alone.

import { useCallback } from 'react';
import { FileChooser } from '../../../ui/FileChooser.js';
import { Form, TextField } from '../../../ui/Form.js';
import { Icon } from '../../../ui/Icon.js';
import { type FoundFile, useDrops } from '../../../ui/useFileDrop.js';
import { readPasted } from '../../verify/parseFingerprint.js';
import { type Candidate, candidateOf, candidateWithoutFile } from './queueRow.js';

interface IntakeProps {
  readonly onCandidates: (candidates: readonly Candidate[]) => void;
}

export function Intake({ onCandidates }: IntakeProps) {
  const take = useCallback(
    (found: readonly FoundFile[]) => onCandidates(found.map(({ file, folder }) => candidateOf(file, folder))),
    [onCandidates],
  );
  const isDragging = useDrops(take);
  return (
    <div className="bring" data-dragging={isDragging || undefined}>
      <Icon name="file" />
      <p className="bring-title">{isDragging ? 'Let go to add them' : 'Drop files or a folder here'}</p>
      <div className="row">
        <FileChooser label="Choose files" onFiles={take} />
        <FileChooser label="Choose a folder" isFolder onFiles={take} />
      </div>
    </div>
  );
}

interface ByFingerprintProps extends IntakeProps {
  /** From a link that did not say what the file is called. */
  readonly fingerprint: string | undefined;
}

export function ByFingerprint({ fingerprint, onCandidates }: ByFingerprintProps) {
  const add = async (values: { fingerprint: string; filename: string }) => {
    const pasted = readPasted(values.fingerprint);
    if ('fingerprint' in pasted) onCandidates([candidateWithoutFile(pasted.fingerprint, values.filename.trim())]);
  };
  return (
    <details className="by-hand" open={fingerprint !== undefined}>
      <summary>Register by fingerprint, without the file</summary>
      <Form
        checks={{ fingerprint: wrongFingerprint, filename: wrongFilename }}
        submit={add}
        action="Add to the list"
        busyAction="Adding …"
        kind="plain"
        isClearedAfter
      >
        {(errors) => (
          <>
            <TextField
              name="fingerprint"
              label="Fingerprint"
              hint="SHA-256 of the file: 64 digits, with or without 0x."
              defaultValue={fingerprint}
              autoComplete="off"
              error={errors.fingerprint}
            />
            <TextField name="filename" label="What the file is called" autoComplete="off" error={errors.filename} />
          </>
        )}
      </Form>
    </details>
  );
}

function wrongFingerprint(text: string): string | undefined {
  const pasted = readPasted(text);
  return 'problem' in pasted ? pasted.problem : undefined;
}

function wrongFilename(text: string): string | undefined {
  return text.trim() === '' ? 'Enter a file name, such as sunrise.jpg.' : undefined;
}

// Where files and fingerprints come in: dropped anywhere, chosen, pasted.

import type { Fingerprint } from '@provenance-registry/core';
import { type ChangeEvent, type FormEvent, useCallback, useEffect, useState } from 'react';
import { Button } from '../../ui/Button.js';
import { Field } from '../../ui/Field.js';
import { FileChooser } from '../../ui/FileChooser.js';
import { Icon } from '../../ui/Icon.js';
import { type FoundFile, useDrops } from '../../ui/useFileDrop.js';
import { readPasted } from './parseFingerprint.js';

interface IntakeProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly onFingerprint: (fingerprint: Fingerprint) => void;
  /** A text from the address that is no fingerprint. */
  readonly mistaken?: string | undefined;
  /** Below an answer it takes less room. */
  readonly isSmall?: boolean | undefined;
}

export function Intake({ onFiles, onFingerprint, mistaken = '', isSmall = false }: IntakeProps) {
  const take = useCallback((found: readonly FoundFile[]) => onFiles(found.map(({ file }) => file)), [onFiles]);
  const isDragging = useDrops(take);
  usePastes(onFiles, onFingerprint);
  return (
    <div className={isSmall ? 'intake intake-small' : 'intake'} data-dragging={isDragging || undefined}>
      <div className="drop">
        {!isSmall && <Icon name="file" />}
        <p className="drop-title">{isDragging ? 'Let go to verify' : 'Drop files here'}</p>
        <FileChooser label="Choose files" kind={isSmall ? 'plain' : 'primary'} onFiles={take} />
        <p className="drop-promise">
          <Icon name="lock" />
          <span>Your file stays on this device. Only its fingerprint, 64 digits computed here, is looked up.</span>
        </p>
      </div>
      <FingerprintForm onFingerprint={onFingerprint} mistaken={mistaken} />
    </div>
  );
}

function FingerprintForm({ onFingerprint, mistaken }: { mistaken: string } & Pick<IntakeProps, 'onFingerprint'>) {
  const [text, setText] = useState(mistaken);
  const [problem, setProblem] = useState(() => (mistaken === '' ? undefined : problemWith(mistaken)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const pasted = readPasted(text);
    if ('fingerprint' in pasted) onFingerprint(pasted.fingerprint);
    else setProblem(pasted.problem);
  };
  const change = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    setText(currentTarget.value);
    setProblem(undefined);
  };
  return (
    <form className="by-fingerprint" onSubmit={submit}>
      <Field
        label="Or look up a fingerprint"
        hint="SHA-256 of the file: 64 digits, with or without 0x."
        error={problem}
      >
        {(connections) => (
          <input
            {...connections}
            value={text}
            onChange={change}
            placeholder="0x…"
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
          />
        )}
      </Field>
      <Button type="submit">Look up</Button>
    </form>
  );
}

function problemWith(text: string): string | undefined {
  const pasted = readPasted(text);
  return 'problem' in pasted ? pasted.problem : undefined;
}

/** Anywhere on the page; what is pasted into a field belongs to that field, unless it is a file. */
function usePastes(onFiles: IntakeProps['onFiles'], onFingerprint: IntakeProps['onFingerprint']): void {
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0) {
        event.preventDefault();
        onFiles(files);
        return;
      }
      if (event.target instanceof HTMLInputElement) return;
      const pasted = readPasted(event.clipboardData?.getData('text/plain') ?? '');
      if ('fingerprint' in pasted) onFingerprint(pasted.fingerprint);
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, [onFiles, onFingerprint]);
}

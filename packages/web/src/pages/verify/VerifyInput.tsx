// Input of files and fingerprints: dropped, chosen or pasted.

import type { Fingerprint } from '@provenance-registry/core';
import { type ChangeEvent, type FormEvent, useCallback, useEffect, useState } from 'preact/compat';
import * as texts from '#texts/lookups/verify';
import { isLookalikeSearchOn } from '../../lookalikeSwitches.js';
import { useStore } from '../../store.js';
import { FileChooser } from '../../ui/file/FileChooser.js';
import { type PickedFile, useFileDrop } from '../../ui/file/useFileDrop.js';
import { Button } from '../../ui/form/Button.js';
import { CheckboxField, Field } from '../../ui/form/Field.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Icon } from '../../ui/text/Icon.js';
import { parseFingerprint, validateFingerprint } from './parseFingerprint.js';
import * as styles from './VerifyInput.module.css';

interface VerifyInputProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly onFingerprint: (fingerprint: Fingerprint) => void;
  /** A text from the address that is not a fingerprint; empty if there is none. */
  readonly invalidInput: string;
  /** Smaller, below a result. */
  readonly isSmall: boolean;
}

export function VerifyInput({ onFiles, onFingerprint, invalidInput, isSmall }: VerifyInputProps) {
  const onPicked = useCallback((picked: readonly PickedFile[]) => onFiles(picked.map(({ file }) => file)), [onFiles]);
  const isDragging = useFileDrop(onPicked);
  const isSearchOn = useStore(isLookalikeSearchOn);
  usePaste(onFiles, onFingerprint);
  return (
    <div className={`${basics.noPrint} ${styles.input} ${isSmall ? styles.small : ''}`}>
      <div className={`${basics.dropZone} ${styles.zone}`} data-dragging={isDragging || undefined}>
        {!isSmall && <Icon name="file" />}
        <p className={styles.title}>{isDragging ? texts.dropNow : texts.dropHere}</p>
        <FileChooser label={texts.chooseFiles} kind={isSmall ? 'plain' : 'primary'} onFiles={onPicked} />
        <p className={`${basics.aside} ${styles.privacy}`}>
          <Icon name="lock" />
          <span>{isSearchOn ? texts.privacyWithCodes : texts.privacy}</span>
        </p>
      </div>
      <CheckboxField
        label={texts.searchLookalikes}
        hint={texts.searchLookalikesHint}
        checked={isSearchOn}
        onChange={isLookalikeSearchOn.set}
      />
      <FingerprintForm onFingerprint={onFingerprint} invalidInput={invalidInput} />
    </div>
  );
}

function FingerprintForm({ onFingerprint, invalidInput }: Pick<VerifyInputProps, 'onFingerprint' | 'invalidInput'>) {
  const [text, setText] = useState(invalidInput);
  const [problem, setProblem] = useState(() => (invalidInput === '' ? undefined : validateFingerprint(invalidInput)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const parsed = parseFingerprint(text);
    if ('fingerprint' in parsed) onFingerprint(parsed.fingerprint);
    else setProblem(parsed.problem);
  };
  const change = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    setText(currentTarget.value);
    setProblem(undefined);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Field label={texts.fingerprintLabel} hint={texts.fingerprintHint} error={problem}>
        {(inputProps) => (
          <input
            {...inputProps}
            value={text}
            onChange={change}
            placeholder="0x…"
            spellcheck={false}
            autoCapitalize="none"
            autoComplete="off"
          />
        )}
      </Field>
      <Button type="submit">{texts.lookUp}</Button>
    </form>
  );
}

/** Pastes anywhere on the page. Text that is pasted into a field belongs to that field. */
function usePaste(onFiles: VerifyInputProps['onFiles'], onFingerprint: VerifyInputProps['onFingerprint']): void {
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length > 0) {
        event.preventDefault();
        onFiles(files);
        return;
      }
      if (event.target instanceof HTMLInputElement) return;
      const parsed = parseFingerprint(event.clipboardData?.getData('text/plain') ?? '');
      if ('fingerprint' in parsed) onFingerprint(parsed.fingerprint);
    };
    addEventListener('paste', onPaste);
    return () => removeEventListener('paste', onPaste);
  }, [onFiles, onFingerprint]);
}

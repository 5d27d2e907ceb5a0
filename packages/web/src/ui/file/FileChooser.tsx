// A button to choose files or a folder.

import { type ChangeEvent, useEffect, useId, useRef } from 'preact/compat';
import { buttonClass } from '../form/Button.js';
import * as basics from '../layout/basics.module.css';
import * as styles from './FileChooser.module.css';
import { type PickedFile, toPickedFiles } from './useFileDrop.js';

interface FileChooserProps {
  readonly label: string;
  readonly kind?: 'primary' | 'plain' | undefined;
  readonly isFolder?: boolean | undefined;
  readonly isSingle?: boolean | undefined;
  readonly onFiles: (files: readonly PickedFile[]) => void;
}

export function FileChooser({ label, kind, isFolder = false, isSingle = false, onFiles }: FileChooserProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Preact does not support this attribute.
    if (input.current) input.current.webkitdirectory = isFolder;
  }, [isFolder]);
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    onFiles(toPickedFiles(currentTarget.files ?? []));
    // So that choosing the same file again fires a change event.
    currentTarget.value = '';
  };
  return (
    <div className={`${styles.chooser} ${basics.noPrint}`}>
      <input ref={input} id={id} type="file" multiple={!isSingle} className={basics.visuallyHidden} onChange={choose} />
      <label htmlFor={id} className={buttonClass(kind)}>
        {label}
      </label>
    </div>
  );
}

// A button that lets people choose files, or a folder.

import { type ChangeEvent, useEffect, useId, useRef } from 'react';
import { buttonClass } from './Button.js';
import { type FoundFile, filesOf } from './useFileDrop.js';

interface FileChooserProps {
  readonly label: string;
  readonly kind?: 'primary' | 'plain' | undefined;
  readonly isFolder?: boolean | undefined;
  readonly onFiles: (found: readonly FoundFile[]) => void;
}

export function FileChooser({ label, kind, isFolder = false, onFiles }: FileChooserProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // React does not know the attribute.
    if (input.current) input.current.webkitdirectory = isFolder;
  }, [isFolder]);
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    onFiles(filesOf(currentTarget.files ?? []));
    // So that the same file can be chosen once more.
    currentTarget.value = '';
  };
  return (
    <div className="choose">
      <input ref={input} id={id} type="file" multiple className="unseen" onChange={choose} />
      <label htmlFor={id} className={buttonClass(kind)}>
        {label}
      </label>
    </div>
  );
}

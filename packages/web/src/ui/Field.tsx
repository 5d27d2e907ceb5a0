// A labelled field of a form, with what helps to fill it in and what is wrong with it.

import { type ReactNode, useId } from 'react';

interface Connections {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** What is wrong, as a sentence that says what would be right. */
  readonly error?: ReactNode;
  /** The input, select or textarea; it takes these connections to label, hint and error. */
  readonly children: (connections: Connections) => ReactNode;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`];
  const isWrong = error !== undefined && error !== '';
  const described = [hint === undefined ? [] : [hintId], isWrong ? [errorId] : []].flat();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': described.join(' ') || undefined, 'aria-invalid': isWrong || undefined })}
      {hint !== undefined && (
        <p id={hintId} className="field-hint">
          {hint}
        </p>
      )}
      <p id={errorId} className="field-error" role="alert">
        {error}
      </p>
    </div>
  );
}

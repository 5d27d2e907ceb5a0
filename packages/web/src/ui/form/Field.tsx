// A form field with label, hint and error.

import { type ReactNode, useId } from 'preact/compat';
import * as styles from './Field.module.css';

interface InputProps {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  /** A sentence that says how to fix it. */
  readonly error?: ReactNode;
  /** Renders the input, select or textarea with these props, which tie it to label, hint and error. */
  readonly children: (inputProps: InputProps) => ReactNode;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const [hintId, errorId] = [`${id}-hint`, `${id}-error`];
  const isInvalid = error !== undefined && error !== '';
  const describedBy = [hint === undefined ? [] : [hintId], isInvalid ? [errorId] : []].flat();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': describedBy.join(' ') || undefined, 'aria-invalid': isInvalid || undefined })}
      {hint !== undefined && (
        <p id={hintId} className={styles.hint}>
          {hint}
        </p>
      )}
      <p id={errorId} className={styles.error} role="alert">
        {error}
      </p>
    </div>
  );
}

interface SelectFieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly onSelect?: (id: string) => void;
  readonly name?: string;
  readonly value?: string | undefined;
  readonly defaultValue?: string;
  readonly disabled?: boolean;
}

export function SelectField({ label, hint, options, onSelect, ...select }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(inputProps) => (
        <select {...inputProps} {...select} onChange={({ currentTarget }) => onSelect?.(currentTarget.value)}>
          {options.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface CheckboxFieldProps {
  readonly label: string;
  readonly hint: ReactNode;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function CheckboxField({ label, hint, onChange, ...input }: CheckboxFieldProps) {
  const id = useId();
  return (
    <div className={styles.checkboxField}>
      <label className={styles.checkbox}>
        <input
          {...input}
          type="checkbox"
          aria-describedby={id}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
        {label}
      </label>
      <p id={id} className={styles.hint}>
        {hint}
      </p>
    </div>
  );
}

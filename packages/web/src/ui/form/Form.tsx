// A form that validates its fields before it submits, and shows errors beside them.

import { ApiError } from '@provenance-registry/client';
import { createContext, type FormEvent, type ReactNode, useContext, useId, useRef, useState } from 'preact/compat';
import * as texts from '#texts/site/ui';
import { type ErrorMessages, findMessage } from '../../errorMessages.js';
import { isSessionExpired } from '../../session.js';
import { ErrorNotice } from '../feedback/ErrorNotice.js';
import * as basics from '../layout/basics.module.css';
import { Button } from './Button.js';
import { ConfirmDialog } from './Dialog.js';
import { Field } from './Field.js';
import * as fieldStyles from './Field.module.css';
import * as styles from './Form.module.css';
import { useAction } from './useAction.js';

/** Returns what is wrong with a text, as a sentence; undefined when it is valid. `values` are those of all fields. */
export type Validator = (text: string, values?: Readonly<Partial<Record<string, string>>>) => string | undefined;

/** The errors of a form by the names of its fields. */
const FieldErrorsContext = createContext<Readonly<Partial<Record<string, string | undefined>>>>({});

/** The error of a field, for fields of a page's own. */
export function useFieldError(name: string): string | undefined {
  return useContext(FieldErrorsContext)[name];
}

interface Confirmation {
  readonly title: string;
  readonly action: string;
  readonly text: ReactNode;
}

interface FormProps<Name extends string> {
  /** One for each submitted field, by its name. */
  readonly validators: Readonly<Record<Name, Validator>>;
  readonly submit: (values: Readonly<Record<Name, string>>) => Promise<void>;
  /** What to ask before submitting these values; undefined: nothing. */
  readonly confirm?: ((values: Readonly<Record<Name, string>>) => Confirmation | undefined) | undefined;
  /** Messages for error codes that mean something specific in this form. */
  readonly errorMessages?: ErrorMessages | undefined;
  /** Messages for error codes that belong to one field. */
  readonly fieldErrorMessages?: Readonly<Partial<Record<NoInfer<Name>, ErrorMessages>>> | undefined;
  readonly action: string;
  readonly busyAction: string;
  readonly kind?: 'primary' | 'plain' | 'danger' | undefined;
  /** Content beside the button, such as "Cancel". */
  readonly otherActions?: ReactNode;
  /** Whether the form is emptied, for forms that are submitted repeatedly. */
  readonly resetOnSuccess?: boolean | undefined;
  /** Shown beside the button after a submission, until a field changes. */
  readonly doneMessage?: string | undefined;
  readonly children: ReactNode;
}

export function Form<Name extends string>(props: FormProps<Name>) {
  const { validators, submit, action, busyAction, kind = 'primary', doneMessage } = props;
  const form = useRef<HTMLFormElement>(null);
  const [fieldErrors, setFieldErrors] = useState({});
  const [isDone, setIsDone] = useState(false);
  const [asking, setAsking] = useState<{ confirmation: Confirmation; values: Record<Name, string> }>();
  const names = Object.keys(validators).filter((name): name is Name => name in validators);

  /** Returns whether there are errors. */
  const showErrors = (errors: Readonly<Record<Name, string | undefined>>): boolean => {
    setFieldErrors(errors);
    const first = names.find((name) => errors[name] !== undefined);
    const field = first && form.current?.elements.namedItem(first);
    if (field instanceof HTMLElement) field.focus();
    return first !== undefined;
  };

  const { isBusy, error, run } = useAction(async (values: Record<Name, string>) => {
    try {
      await submit(values);
      if (props.resetOnSuccess) form.current?.reset();
      setIsDone(true);
    } catch (thrown) {
      // After a log-in the same values may be accepted.
      if (!(thrown instanceof ApiError) || isSessionExpired()) throw thrown;
      if (!showErrors(mapNames(names, (name) => findFieldError(thrown, name)))) throw thrown;
    }
  });

  const findFieldError = (thrown: ApiError, name: Name): string | undefined => {
    const message = findMessage(thrown, props.fieldErrorMessages?.[name]);
    if (thrown.problems.length === 0) return message;
    const isInvalid = thrown.problems.some(({ path }) => path === `/${name}`);
    return isInvalid ? (message ?? thrown.message) : undefined;
  };

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const values = mapNames(names, (name) => String(data.get(name) ?? ''));
    setIsDone(false);
    if (showErrors(mapNames(names, (name) => validators[name](values[name], values)))) return;
    const confirmation = props.confirm?.(values);
    if (confirmation) setAsking({ confirmation, values });
    else void run(values);
  };

  return (
    <form ref={form} className={styles.form} noValidate onSubmit={onSubmit} onInput={() => setIsDone(false)}>
      <FieldErrorsContext value={fieldErrors}>{props.children}</FieldErrorsContext>
      <ErrorNotice error={error} messages={props.errorMessages} />
      <div className={`${basics.row} ${styles.actions}`}>
        <Button type="submit" kind={kind} isBusy={isBusy}>
          {isBusy ? busyAction : action}
        </Button>
        {props.otherActions}
        {doneMessage !== undefined && (
          <span className={styles.done} role="status">
            {isDone && doneMessage}
          </span>
        )}
      </div>
      {asking && (
        <ConfirmDialog
          title={asking.confirmation.title}
          action={asking.confirmation.action}
          work={() => run(asking.values)}
          onClose={() => setAsking(undefined)}
        >
          {asking.confirmation.text}
        </ConfirmDialog>
      )}
    </form>
  );
}

function mapNames<Name extends string, T>(names: readonly Name[], valueFor: (name: Name) => T): Record<Name, T> {
  // Object.fromEntries does not know that every name has a value.
  return Object.fromEntries(names.map((name) => [name, valueFor(name)])) as Record<Name, T>;
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly autoComplete?: string | undefined;
  readonly inputMode?: 'numeric' | undefined;
  readonly defaultValue?: string | number | undefined;
  /** Gets the focus first. In a dialog, Dialog sets it, because the field appears before the dialog opens. */
  readonly isFirst?: boolean | undefined;
  readonly onType?: ((text: string) => void) | undefined;
}

type TextFieldProps = FieldProps &
  (
    | { readonly type?: 'text' }
    | { readonly type: 'email' }
    | { readonly type: 'number'; readonly min?: number | undefined; readonly max?: number | undefined }
  );

/** Browsers honor `autofocus` on the first page of a document only. */
function focus(input: HTMLElement | null): void {
  input?.focus();
}

export function TextField({ label, hint, isFirst, onType, ...input }: TextFieldProps) {
  const errors = useContext(FieldErrorsContext);
  return (
    <Field label={label} hint={hint} error={errors[input.name]}>
      {(inputProps) => (
        <input
          {...inputProps}
          {...input}
          ref={isFirst ? focus : null}
          data-first={isFirst || undefined}
          spellcheck={false}
          onInput={({ currentTarget }) => onType?.(currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface TextAreaFieldProps extends Omit<FieldProps, 'autoComplete' | 'inputMode' | 'onType'> {
  /** Sentences, not codes. */
  readonly isProse?: boolean;
}

export function TextAreaField({ label, hint, isFirst, isProse = false, ...input }: TextAreaFieldProps) {
  const errors = useContext(FieldErrorsContext);
  return (
    <Field label={label} hint={hint} error={errors[input.name]}>
      {(inputProps) => (
        <textarea
          {...inputProps}
          {...input}
          rows={isProse ? 5 : 3}
          data-first={isFirst || undefined}
          spellcheck={isProse}
          autoCapitalize={isProse ? 'sentences' : 'none'}
        />
      )}
    </Field>
  );
}

interface FileFieldProps extends Pick<FieldProps, 'name' | 'label' | 'hint'> {
  /** Undefined when the user has removed the file. */
  readonly onFile: (file: File | undefined) => void;
}

/** One file. The values of a form are texts: its page keeps the file, and validates that it is there. */
export function FileField({ name, label, hint, onFile }: FileFieldProps) {
  const errors = useContext(FieldErrorsContext);
  return (
    <Field label={label} hint={hint} error={errors[name]}>
      {(inputProps) => (
        <input
          {...inputProps}
          name={name}
          type="file"
          onChange={({ currentTarget }) => onFile(currentTarget.files?.[0])}
        />
      )}
    </Field>
  );
}

interface PasswordFieldProps extends Pick<FieldProps, 'hint' | 'isFirst'> {
  readonly name?: string;
  readonly label?: string;
  readonly autoComplete: 'current-password' | 'new-password';
}

export function PasswordField({
  name = 'password',
  label = texts.password,
  hint,
  isFirst,
  ...input
}: PasswordFieldProps) {
  const errors = useContext(FieldErrorsContext);
  const [isVisible, setIsVisible] = useState(false);
  return (
    <Field label={label} hint={hint} error={errors[name]}>
      {(inputProps) => (
        <div className={styles.password}>
          <input
            {...inputProps}
            {...input}
            name={name}
            {...(isVisible ? { type: 'text' } : { type: 'password' })}
            ref={isFirst ? focus : null}
            data-first={isFirst || undefined}
            spellcheck={false}
            autoCapitalize="none"
          />
          <Button
            kind="quiet"
            aria-label={isVisible ? texts.hidePassword(label) : texts.showPassword(label)}
            onClick={() => setIsVisible(!isVisible)}
          >
            {isVisible ? texts.hide : texts.show}
          </Button>
        </div>
      )}
    </Field>
  );
}

/** Tells password managers which account a password form belongs to. */
export function UsernameHint({ email }: { readonly email: string | null }) {
  return email !== null && <input type="text" autoComplete="username" value={email} readOnly hidden />;
}

interface ChoiceProps {
  readonly name: string;
  readonly legend: string;
  /** What the choice is about. */
  readonly hint?: ReactNode;
  readonly defaultValue: string;
  readonly onSelect?: ((value: string) => void) | undefined;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    readonly hint: ReactNode;
    /** Why it cannot be chosen. */
    readonly unavailable?: ReactNode;
  }[];
}

/** Radio buttons, each with a hint or the reason why it is unavailable. */
export function Choice({ name, legend, hint: about, defaultValue, onSelect, options }: ChoiceProps) {
  const hintId = useId();
  return (
    <fieldset className={styles.choice} aria-describedby={about === undefined ? undefined : hintId}>
      <legend>{legend}</legend>
      {about !== undefined && (
        <p id={hintId} className={fieldStyles.hint}>
          {about}
        </p>
      )}
      {options.map(({ value, label, hint, unavailable }) => (
        <label key={value} className={styles.option}>
          <input
            type="radio"
            name={name}
            value={value}
            defaultChecked={value === defaultValue}
            disabled={unavailable !== undefined}
            onChange={() => onSelect?.(value)}
          />
          <span>
            <span>{label}</span>
            <span className={fieldStyles.hint}>{unavailable ?? hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

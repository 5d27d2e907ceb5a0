// A form that validates its fields before it submits, and shows errors beside them.

import type { ErrorCode } from '@provenance-registry/core';
import { type FormEvent, type HTMLInputAutoCompleteAttribute, type ReactNode, useRef, useState } from 'react';
import { describeError } from '../errorMessages.js';
import { Button } from './Button.js';
import { Field } from './Field.js';
import { Notice } from './Notice.js';
import { useAction } from './useAction.js';
import './form.css';

/** Returns what is wrong with a text, as a sentence; undefined when it is valid. */
export type Validator = (text: string) => string | undefined;

/** Thrown by `submit` for an error that belongs to one field. */
export class FieldError extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

type Errors<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>;

interface FormProps<Name extends string> {
  /** One for each submitted field, by its name. */
  readonly validators: Readonly<Record<Name, Validator>>;
  readonly submit: (values: Readonly<Record<Name, string>>) => Promise<void>;
  /** Messages for error codes that mean something specific in this form. */
  readonly errorMessages?: Partial<Record<ErrorCode, string>> | undefined;
  readonly action: string;
  readonly busyAction: string;
  readonly kind?: 'primary' | 'plain' | undefined;
  /** For forms that are submitted repeatedly. */
  readonly resetOnSuccess?: boolean | undefined;
  /** Shown beside the button after a submission, until a field changes. */
  readonly doneMessage?: string | undefined;
  readonly children: (errors: Errors<Name>) => ReactNode;
}

export function Form<Name extends string>(props: FormProps<Name>) {
  const { validators, submit, errorMessages, action, busyAction, kind = 'primary', doneMessage, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<Errors<Name>>();
  const [isDone, setIsDone] = useState(false);
  const names = Object.keys(validators).filter((name): name is Name => name in validators);

  const showErrors = (next: Errors<Name>) => {
    setErrors(next);
    const first = names.find((name) => next[name] !== undefined);
    const field = first && form.current?.elements.namedItem(first);
    if (field instanceof HTMLElement) field.focus();
  };

  const { isBusy, error, run } = useAction(async (values: Record<Name, string>) => {
    try {
      await submit(values);
      if (props.resetOnSuccess) form.current?.reset();
      setIsDone(true);
    } catch (thrown) {
      if (!(thrown instanceof FieldError)) throw thrown;
      showErrors(mapNames(names, (name) => (name === thrown.field ? thrown.message : undefined)));
    }
  });

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const values = mapNames(names, (name) => String(data.get(name) ?? ''));
    const invalid = mapNames(names, (name) => validators[name](values[name]));
    showErrors(invalid);
    setIsDone(false);
    if (names.every((name) => invalid[name] === undefined)) void run(values);
  };

  return (
    <form ref={form} noValidate onSubmit={onSubmit} onInput={() => setIsDone(false)}>
      {children(errors ?? mapNames(names, () => undefined))}
      {error !== undefined && (
        <Notice tone="bad" isAlert>
          <p>{describeError(error, errorMessages)}</p>
        </Notice>
      )}
      <div className="form-actions">
        <Button type="submit" kind={kind} isBusy={isBusy}>
          {isBusy ? busyAction : action}
        </Button>
        {doneMessage !== undefined && (
          <span className="form-done" role="status">
            {isDone && doneMessage}
          </span>
        )}
      </div>
    </form>
  );
}

function mapNames<Name extends string, T>(names: readonly Name[], valueFor: (name: Name) => T): Record<Name, T> {
  // Object.fromEntries does not know that every name has a value.
  return Object.fromEntries(names.map((name) => [name, valueFor(name)])) as Record<Name, T>;
}

interface TextFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly type?: 'text' | 'email' | 'number' | undefined;
  readonly autoComplete?: HTMLInputAutoCompleteAttribute | undefined;
  readonly defaultValue?: string | number | undefined;
  /** Gets the focus first. In a dialog, Dialog sets it, because React does so before the dialog opens. */
  readonly isFirst?: boolean | undefined;
}

export function TextField({ label, hint, error, isFirst, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(inputProps) => (
        // biome-ignore lint/a11y/noAutofocus: the page or dialog consists of this form
        <input {...inputProps} {...input} autoFocus={isFirst} data-first={isFirst || undefined} spellCheck={false} />
      )}
    </Field>
  );
}

interface PasswordFieldProps extends Pick<TextFieldProps, 'hint' | 'error' | 'isFirst'> {
  readonly autoComplete: 'current-password' | 'new-password';
}

export function PasswordField({ hint, error, autoComplete, isFirst }: PasswordFieldProps) {
  const [isVisible, setIsVisible] = useState(false);
  return (
    <Field label="Password" hint={hint} error={error}>
      {(inputProps) => (
        <div className="password">
          <input
            {...inputProps}
            name="password"
            type={isVisible ? 'text' : 'password'}
            autoComplete={autoComplete}
            // biome-ignore lint/a11y/noAutofocus: the dialog consists of this form
            autoFocus={isFirst}
            data-first={isFirst || undefined}
            spellCheck={false}
            autoCapitalize="none"
          />
          <Button
            kind="quiet"
            aria-label={isVisible ? 'Hide password' : 'Show password'}
            onClick={() => setIsVisible(!isVisible)}
          >
            {isVisible ? 'Hide' : 'Show'}
          </Button>
        </div>
      )}
    </Field>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly legend: string;
  readonly defaultValue: string;
  readonly options: readonly {
    readonly value: string;
    readonly label: string;
    readonly hint: ReactNode;
    /** Why it cannot be chosen. */
    readonly unavailable?: ReactNode;
  }[];
}

/** Radio buttons, each with a hint or the reason why it is unavailable. */
export function Choice({ name, legend, defaultValue, options }: ChoiceProps) {
  return (
    <fieldset className="choice">
      <legend>{legend}</legend>
      {options.map(({ value, label, hint, unavailable }) => (
        <label key={value} className="choice-option">
          <input
            type="radio"
            name={name}
            value={value}
            defaultChecked={value === defaultValue}
            disabled={unavailable !== undefined}
          />
          <span>
            <span className="choice-label">{label}</span>
            <span className="field-hint">{unavailable ?? hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

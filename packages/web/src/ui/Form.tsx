// A form: checked before it is sent, and told beside the field what is wrong with it.

import type { ErrorCode } from '@provenance-registry/core';
import { type FormEvent, type HTMLInputAutoCompleteAttribute, type ReactNode, useRef, useState } from 'react';
import { explain } from '../registryClient.js';
import { Button } from './Button.js';
import { Field } from './Field.js';
import { Notice } from './Notice.js';
import { useAction } from './QueryView.js';

/** What is wrong with a text, as a sentence; undefined when nothing is. */
export type Check = (text: string) => string | undefined;

/** Thrown while a form is sent, when it is about one of its fields. */
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
  /** Every field that is sent, by its name. */
  readonly checks: Readonly<Record<Name, Check>>;
  readonly submit: (values: Readonly<Record<Name, string>>) => Promise<void>;
  /** What the service's refusals mean here. */
  readonly refusals?: Partial<Record<ErrorCode, string>> | undefined;
  readonly action: string;
  readonly busyAction: string;
  readonly kind?: 'primary' | 'plain' | undefined;
  /** For forms that are filled in again and again. */
  readonly isClearedAfter?: boolean | undefined;
  /** Stands beside the button when it is done, until something is changed. */
  readonly doneWord?: string | undefined;
  readonly children: (errors: Errors<Name>) => ReactNode;
}

export function Form<Name extends string>(props: FormProps<Name>) {
  const { checks, submit, refusals, action, busyAction, kind = 'primary', doneWord, children } = props;
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<Errors<Name>>();
  const [isDone, setIsDone] = useState(false);
  const names = Object.keys(checks).filter((name): name is Name => name in checks);

  const show = (wrong: Errors<Name>) => {
    setErrors(wrong);
    const first = names.find((name) => wrong[name] !== undefined);
    const field = first && form.current?.elements.namedItem(first);
    if (field instanceof HTMLElement) field.focus();
  };

  const { isBusy, error, run } = useAction(async (values: Record<Name, string>) => {
    try {
      await submit(values);
      if (props.isClearedAfter) form.current?.reset();
      setIsDone(true);
    } catch (thrown) {
      if (!(thrown instanceof FieldError)) throw thrown;
      show(byName(names, (name) => (name === thrown.field ? thrown.message : undefined)));
    }
  });

  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const values = byName(names, (name) => String(data.get(name) ?? ''));
    const wrong = byName(names, (name) => checks[name](values[name]));
    show(wrong);
    setIsDone(false);
    if (names.every((name) => wrong[name] === undefined)) void run(values);
  };

  return (
    <form ref={form} noValidate onSubmit={send} onInput={() => setIsDone(false)}>
      {children(errors ?? byName(names, () => undefined))}
      {error !== undefined && (
        <Notice tone="bad" isAlert>
          <p>{explain(error, refusals)}</p>
        </Notice>
      )}
      <div className="form-actions">
        <Button type="submit" kind={kind} isBusy={isBusy}>
          {isBusy ? busyAction : action}
        </Button>
        {doneWord !== undefined && (
          <span className="form-done" role="status">
            {isDone && doneWord}
          </span>
        )}
      </div>
    </form>
  );
}

function byName<Name extends string, T>(names: readonly Name[], valueFor: (name: Name) => T): Record<Name, T> {
  // Every name gets one; fromEntries does not say so.
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
  /** A dialog or page that has nothing else puts the cursor here. (In a dialog React does so too early.) */
  readonly isFirst?: boolean | undefined;
}

export function TextField({ label, hint, error, isFirst, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(connections) => (
        // biome-ignore lint/a11y/noAutofocus: on a page or in a dialog that is this form and nothing else
        <input {...connections} {...input} autoFocus={isFirst} data-first={isFirst || undefined} spellCheck={false} />
      )}
    </Field>
  );
}

interface PasswordFieldProps extends Pick<TextFieldProps, 'hint' | 'error' | 'isFirst'> {
  readonly autoComplete: 'current-password' | 'new-password';
}

export function PasswordField({ hint, error, autoComplete, isFirst }: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false);
  return (
    <Field label="Password" hint={hint} error={error}>
      {(connections) => (
        <div className="password">
          <input
            {...connections}
            name="password"
            type={isShown ? 'text' : 'password'}
            autoComplete={autoComplete}
            // biome-ignore lint/a11y/noAutofocus: in a dialog that is this form and nothing else
            autoFocus={isFirst}
            data-first={isFirst || undefined}
            spellCheck={false}
            autoCapitalize="none"
          />
          <Button
            kind="quiet"
            aria-label={isShown ? 'Hide the password' : 'Show the password'}
            onClick={() => setIsShown(!isShown)}
          >
            {isShown ? 'Hide' : 'Show'}
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
    readonly refusal?: ReactNode;
  }[];
}

/** One of a few, each with what it means. What cannot be chosen says why. */
export function Choice({ name, legend, defaultValue, options }: ChoiceProps) {
  return (
    <fieldset className="choice">
      <legend>{legend}</legend>
      {options.map(({ value, label, hint, refusal }) => (
        <label key={value} className="choice-option">
          <input
            type="radio"
            name={name}
            value={value}
            defaultChecked={value === defaultValue}
            disabled={refusal !== undefined}
          />
          <span>
            <span className="choice-label">{label}</span>
            <span className="field-hint">{refusal ?? hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

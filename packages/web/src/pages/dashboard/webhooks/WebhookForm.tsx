// The address of a webhook, and which types of events it sends.

import { type EventType, eventTypes, type Webhook } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import { groups, labels } from '#texts/events/eventTypes';
import * as texts from '#texts/events/webhooks';
import { quoteService } from '../../../errorMessages.js';
import * as fieldStyles from '../../../ui/form/Field.module.css';
import { Choice, Form, TextField, useFieldError, type Validator } from '../../../ui/form/Form.js';
import { acceptAny } from '../../../validators.js';
import * as styles from './WebhookForm.module.css';

export interface WebhookSettings {
  readonly url: string;
  /** Null: all. */
  readonly types: EventType[] | null;
}

interface WebhookFormProps {
  /** Undefined for a new one. */
  readonly webhook?: Webhook | undefined;
  readonly isOfOrganization: boolean;
  readonly submit: (settings: WebhookSettings) => Promise<void>;
  readonly action: string;
  readonly busyAction: string;
  readonly doneMessage?: string | undefined;
}

export function WebhookForm({ webhook, isOfOrganization, submit, ...form }: WebhookFormProps) {
  const [isAll, setIsAll] = useState(webhook ? webhook.types === null : true);
  const [chosen, setChosen] = useState<ReadonlySet<EventType>>(new Set(webhook?.types ?? []));
  const validators = {
    url: validateUrl,
    scope: acceptAny,
    types: () => (isAll || chosen.size > 0 ? undefined : texts.noTypes),
  };
  const types = isAll ? null : eventTypes.filter((type) => chosen.has(type));
  return (
    <Form
      {...form}
      validators={validators}
      submit={({ url }) => submit({ url: url.trim(), types })}
      errorMessages={{ CONFLICT: quoteService }}
      fieldErrorMessages={{ url: { BAD_REQUEST: quoteService } }}
    >
      <TextField
        name="url"
        label={texts.urlLabel}
        hint={texts.urlHint}
        autoComplete="off"
        defaultValue={webhook?.url}
      />
      <Choice
        name="scope"
        legend={texts.eventsLabel}
        defaultValue={isAll ? 'all' : 'chosen'}
        onSelect={(value) => setIsAll(value === 'all')}
        options={[
          { value: 'all', label: texts.allEvents, hint: texts.allHint },
          { value: 'chosen', label: texts.chosenEvents, hint: texts.chosenHint },
        ]}
      />
      {!isAll && <EventTypeFields {...{ chosen, isOfOrganization }} onChange={setChosen} />}
    </Form>
  );
}

/** The service decides; this finds what is not an address. */
const validateUrl: Validator = (text) => {
  if (text.trim() === '') return texts.noUrl;
  return /^https?:\/\/[^/\s]/i.test(text.trim()) && URL.canParse(text.trim()) ? undefined : texts.invalidUrl;
};

interface EventTypeFieldsProps {
  readonly chosen: ReadonlySet<EventType>;
  readonly isOfOrganization: boolean;
  readonly onChange: (chosen: ReadonlySet<EventType>) => void;
}

function EventTypeFields({ chosen, isOfOrganization, onChange }: EventTypeFieldsProps) {
  const error = useFieldError('types');
  const toggle = (type: EventType, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(type);
    else next.delete(type);
    onChange(next);
  };
  return (
    <fieldset name="types" className={styles.types} aria-label={texts.chosenEvents} tabIndex={-1}>
      {typeGroups
        // What happens to an account is for its user only.
        .filter(({ id }) => !(isOfOrganization && id === 'account'))
        .map(({ id, label, types }) => (
          <details key={id} open={types.some((type) => chosen.has(type)) || undefined}>
            <summary>{texts.chosenOf(label, types.filter((type) => chosen.has(type)).length, types.length)}</summary>
            {types.map((type) => (
              <label key={type} className={fieldStyles.checkbox}>
                <input
                  type="checkbox"
                  checked={chosen.has(type)}
                  onChange={({ currentTarget }) => toggle(type, currentTarget.checked)}
                />
                <span>
                  {labels[type]} <code>{type}</code>
                </span>
              </label>
            ))}
          </details>
        ))}
      <p className={fieldStyles.error} role="alert">
        {error}
      </p>
    </fieldset>
  );
}

const typeGroups = Object.entries(groups).map(([id, { label, subjects }]) => ({
  id,
  label,
  types: eventTypes.filter((type) => subjects.some((subject) => type.startsWith(`${subject}.`))),
}));

// Search, filters and order of "My files". Each change is in the address at once.

import type { Mark } from '@provenance-registry/core';
import { type ChangeEvent, type FormEvent, useEffect, useState } from 'preact/compat';
import * as texts from '#texts/artifacts/files';
import { navigate } from '../../../routing.js';
import { Button } from '../../../ui/form/Button.js';
import { Field, SelectField } from '../../../ui/form/Field.js';
import * as styles from './FilterForm.module.css';
import { FILES_PATH, type FileFilters, isFiltered, MAX_NAME_LENGTH, noFilters, toAddress } from './fileFilters.js';

/** Longer than the pause between two keystrokes. */
const SEARCH_DELAY_MS = 250;

interface FilterFormProps {
  readonly filters: FileFilters;
  readonly marks: readonly Mark[];
}

export function FilterForm({ filters, marks }: FilterFormProps) {
  const set = (changes: Partial<FileFilters>) => navigate(toAddress({ ...filters, ...changes }));
  const markOptions = [{ id: '', name: texts.allMarks }, ...marks];
  return (
    <search className={styles.filters}>
      <NameField filters={filters} />
      <SelectField
        label={texts.markLabel}
        options={markOptions}
        value={filters.mark}
        onSelect={(mark) => set({ mark })}
      />
      <SelectField
        label={texts.sortLabel}
        options={texts.sorts}
        value={filters.sort || texts.sorts[0].id}
        onSelect={(sort) => set({ sort: sort === texts.sorts[0].id ? '' : sort })}
      />
      <details className={styles.more} open={hasMore(filters)}>
        <summary>{texts.moreFilters}</summary>
        <div className={styles.filters}>
          <SelectField
            label={texts.statusLabel}
            options={texts.statuses}
            value={filters.status}
            onSelect={(status) => set({ status })}
          />
          <SelectField
            label={texts.kindLabel}
            options={texts.kinds}
            value={filters.kind}
            onSelect={(kind) => set({ kind })}
          />
          <DayField label={texts.fromLabel} value={filters.from} onSelect={(from) => set({ from })} />
          <DayField label={texts.toLabel} value={filters.to} onSelect={(to) => set({ to })} />
        </div>
      </details>
      {isFiltered(filters) && (
        <Button kind="quiet" onClick={() => navigate(toAddress({ ...noFilters, sort: filters.sort }))}>
          {texts.clearFilters}
        </Button>
      )}
    </search>
  );
}

function hasMore({ status, kind, from, to }: FileFilters): boolean {
  return [status, kind, from, to].some((value) => value !== '');
}

/** Typing replaces the address, so that the back button does not go through each letter. */
function NameField({ filters }: { readonly filters: FileFilters }) {
  const [text, setText] = useState(filters.name);
  const [lastName, setLastName] = useState(filters.name);
  // The address changed by the back or forward button.
  if (lastName !== filters.name) {
    setLastName(filters.name);
    if (text.trim() !== filters.name) setText(filters.name);
  }
  const search = (name: string) => {
    // The user may have left the page in the meantime.
    if (location.pathname === FILES_PATH && name !== filters.name)
      navigate(toAddress({ ...filters, name }), { replace: true });
  };
  useEffect(() => {
    const timer = setTimeout(() => search(text.trim()), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    search(text.trim());
  };
  return (
    <form onSubmit={submit} className={styles.search}>
      <Field label={texts.searchLabel}>
        {(inputProps) => (
          <input
            {...inputProps}
            type="search"
            value={text}
            maxLength={MAX_NAME_LENGTH}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
    </form>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onSelect: (day: string) => void;
}

function DayField({ label, value, onSelect }: DayFieldProps) {
  const change = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => onSelect(currentTarget.value);
  return (
    <Field label={label}>{(inputProps) => <input {...inputProps} type="date" value={value} onChange={change} />}</Field>
  );
}

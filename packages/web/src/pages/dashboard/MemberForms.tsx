// People who get a part in something, and who lose it again.

import type { ReactNode } from 'react';
import { Confirmation } from '../../ui/Dialog.js';
import { TextField } from '../../ui/Form.js';

interface PersonFieldProps {
  readonly hint?: string;
  readonly error: string | undefined;
}

/** The field `email` of a form. */
export function PersonField({ hint = '', error }: PersonFieldProps) {
  return (
    <TextField
      name="email"
      type="email"
      label="Add somebody"
      hint={`By the email address of their account here. ${hint}`.trim()}
      autoComplete="off"
      error={error}
    />
  );
}

interface RemovalProps {
  readonly person: { readonly name: string };
  readonly remove: () => Promise<void>;
  readonly onClose: () => void;
  /** What it means. */
  readonly children: ReactNode;
}

export function Removal({ person, remove, onClose, children }: RemovalProps) {
  const title = (
    <>
      Remove <bdi>{person.name}</bdi>?
    </>
  );
  return (
    <Confirmation title={title} action="Remove" work={remove} onClose={onClose}>
      <p>{children}</p>
    </Confirmation>
  );
}

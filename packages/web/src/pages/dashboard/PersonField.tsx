// Whoever is added is named by an email address.

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

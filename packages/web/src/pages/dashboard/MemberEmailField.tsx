// The field `email` of forms that add a member.

import { TextField } from '../../ui/Form.js';

interface MemberEmailFieldProps {
  readonly hint?: string;
  readonly error: string | undefined;
}

export function MemberEmailField({ hint = '', error }: MemberEmailFieldProps) {
  return (
    <TextField
      name="email"
      type="email"
      label="Add member"
      hint={`The email address of their account. ${hint}`.trim()}
      autoComplete="off"
      error={error}
    />
  );
}

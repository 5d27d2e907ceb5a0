// The log-in form, on its page and in the dialog of an expired session.

import type { Session } from '@provenance-registry/core';
import { createPageClient } from '../../registryClient.js';
import { Form, PasswordField, TextField } from '../../ui/Form.js';
import { validateEmail, validatePassword } from '../../validators.js';

interface LoginFormProps {
  readonly email?: string | undefined;
  readonly onSession: (session: Session) => void;
}

export function LoginForm({ email, onSession }: LoginFormProps) {
  const logIn = async (values: { email: string; password: string }) => {
    const client = createPageClient(() => undefined);
    onSession(await client.logIn({ email: values.email.trim(), password: values.password }));
  };
  return (
    <Form
      validators={{ email: validateEmail, password: validatePassword }}
      submit={logIn}
      errorMessages={{ UNAUTHORIZED: 'Wrong email or password.' }}
      action="Log in"
      busyAction="Logging in …"
    >
      <TextField
        name="email"
        type="email"
        label="Email address"
        autoComplete="username"
        defaultValue={email}
        isFirst={email === undefined}
      />
      <PasswordField autoComplete="current-password" isFirst={email !== undefined} />
    </Form>
  );
}

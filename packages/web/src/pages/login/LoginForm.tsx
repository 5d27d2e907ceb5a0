// The log-in form, on its page and in the dialog of an expired session.

import { createPageClient } from '../../registryClient.js';
import { setToken } from '../../session.js';
import { Form, PasswordField, TextField } from '../../ui/Form.js';
import { validateEmail, validatePassword } from '../../validators.js';

export function LoginForm({ email }: { readonly email?: string | undefined }) {
  const logIn = async (values: { email: string; password: string }) => {
    const client = createPageClient(() => undefined);
    const { token } = await client.logIn({ email: values.email.trim(), password: values.password });
    setToken(token);
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

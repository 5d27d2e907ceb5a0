// The sign-up page.

import { MIN_PASSWORD_LENGTH } from '@provenance-registry/core';
import { createPageClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { setToken } from '../../session.js';
import { Card } from '../../ui/Card.js';
import { Form, PasswordField, TextField } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { validateEmail, validateName, validateNewPassword } from '../../validators.js';
import { loginUrl, useReturnPath } from './returnPath.js';
import './login.css';

export function SignupPage() {
  useTitle('Sign up');
  const returnPath = useReturnPath();
  return (
    <div className="login">
      <h1>Sign up</h1>
      <p className="quiet">Create an account to register files. Verifying files needs no account.</p>
      <Card>
        <SignupForm />
      </Card>
      <p>
        Already have an account? <Link to={loginUrl('/login', returnPath)}>Log in</Link>
      </p>
    </div>
  );
}

function SignupForm() {
  const signUp = async ({ name, email, password }: { name: string; email: string; password: string }) => {
    const client = createPageClient(() => undefined);
    const { token } = await client.signUp({ name: name.trim(), email: email.trim(), password });
    setToken(token);
  };
  return (
    <Form
      validators={{ name: validateName, email: validateEmail, password: validateNewPassword }}
      submit={signUp}
      fieldErrorMessages={{ email: { CONFLICT: 'This email address already has an account. Log in instead.' } }}
      action="Sign up"
      busyAction="Signing up …"
    >
      <TextField
        name="name"
        label="Your name"
        autoComplete="name"
        hint="Shown next to files that you register under public Marks."
        isFirst
      />
      <TextField name="email" type="email" label="Email address" autoComplete="email" />
      <PasswordField autoComplete="new-password" hint={`At least ${MIN_PASSWORD_LENGTH} characters.`} />
    </Form>
  );
}

// The sign-up page.

import { MIN_PASSWORD_LENGTH } from '@provenance-registry/core';
import * as texts from '#texts/accounts/login';
import { createPageClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { setToken } from '../../session.js';
import { Form, PasswordField, TextField } from '../../ui/form/Form.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { Link } from '../../ui/text/Link.js';
import { validateEmail, validateName, validateNewPassword } from '../../validators.js';
import * as loginStyles from './Login.module.css';
import { loginUrl, useReturnPath } from './returnPath.js';

export function SignupPage() {
  useTitle(texts.signUp);
  const returnPath = useReturnPath();
  return (
    <div className={loginStyles.login}>
      <h1>{texts.signUp}</h1>
      <p className={basics.quiet}>{texts.signUpLead}</p>
      <Card>
        <SignupForm />
      </Card>
      <p>{texts.hasAccount(<Link to={loginUrl('/login', returnPath)}>{texts.logIn}</Link>)}</p>
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
      fieldErrorMessages={{ email: { CONFLICT: texts.emailTaken } }}
      action={texts.signUp}
      busyAction={texts.signingUp}
    >
      <TextField name="name" label={texts.yourName} autoComplete="name" hint={texts.yourNameHint} isFirst />
      <TextField name="email" type="email" label={texts.emailAddress} autoComplete="email" />
      <PasswordField autoComplete="new-password" hint={texts.passwordHint(MIN_PASSWORD_LENGTH)} />
    </Form>
  );
}

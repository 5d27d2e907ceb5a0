// The log-in page and its form.

import { createPageClient } from '../../registryClient.js';
import { useCurrentUrl, useTitle } from '../../routing.js';
import { setToken } from '../../session.js';
import { Card } from '../../ui/Card.js';
import { Form, PasswordField, TextField } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { validateEmail, validatePassword } from '../../validators.js';
import { loginUrl, useReturnPath } from './returnPath.js';
import './login.css';

export function LoginPage() {
  useTitle('Log in');
  const returnPath = useReturnPath();
  const isSessionExpired = useCurrentUrl().searchParams.has('expired');
  return (
    <div className="login">
      <h1>Log in</h1>
      {isSessionExpired && (
        <Notice>
          <p>Your session has expired. Log in to continue where you left off.</p>
        </Notice>
      )}
      <Card>
        <LoginForm />
      </Card>
      <p>
        No account yet? <Link to={loginUrl('/signup', returnPath)}>Sign up</Link>
      </p>
    </div>
  );
}

/** Also in the dialog of an expired session, which knows the email address. */
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

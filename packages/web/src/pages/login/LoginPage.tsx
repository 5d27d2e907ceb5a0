// The log-in page and its form.

import { useState } from 'preact/compat';
import { hasErrorCode } from '../../errorMessages.js';
import { createPageClient } from '../../registryClient.js';
import { useCurrentUrl, useTitle } from '../../routing.js';
import { setToken } from '../../session.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Form, PasswordField, TextField } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { validateCode, validateEmail, validatePassword } from '../../validators.js';
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
        <Link to="/forgot-password">Forgot password?</Link>
      </p>
      <p>
        No account yet? <Link to={loginUrl('/signup', returnPath)}>Sign up</Link>
      </p>
    </div>
  );
}

interface Credentials {
  readonly email: string;
  readonly password: string;
}

async function logIn(credentials: Credentials & { readonly totpCode?: string }): Promise<void> {
  const { token } = await createPageClient(() => undefined).logIn(credentials);
  setToken(token);
}

/** Also in the dialog of an expired session, which knows the email address. */
export function LoginForm({ email: knownEmail }: { readonly email?: string | undefined }) {
  const [email, setEmail] = useState(knownEmail);
  /** Of an account with a second factor. */
  const [credentials, setCredentials] = useState<Credentials>();
  const submit = async (values: Credentials) => {
    const entered = { email: values.email.trim(), password: values.password };
    try {
      await logIn(entered);
    } catch (error) {
      if (!hasErrorCode(error, 'TOTP_REQUIRED')) throw error;
      setEmail(entered.email);
      setCredentials(entered);
    }
  };
  if (credentials) return <CodeForm credentials={credentials} onBack={() => setCredentials(undefined)} />;
  return (
    <Form
      validators={{ email: validateEmail, password: validatePassword }}
      submit={submit}
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

interface CodeFormProps {
  readonly credentials: Credentials;
  readonly onBack: () => void;
}

/** Asks for the second factor, after the password was right. */
function CodeForm({ credentials, onBack }: CodeFormProps) {
  const [isRecovery, setIsRecovery] = useState(false);
  const submit = ({ totpCode }: { totpCode: string }) => logIn({ ...credentials, totpCode: totpCode.trim() });
  return (
    <Form
      // The two fields share nothing.
      key={String(isRecovery)}
      validators={{ totpCode: validateCode }}
      submit={submit}
      action="Log in"
      busyAction="Logging in …"
      otherActions={
        <>
          <Button onClick={onBack}>Back</Button>
          <Button kind="quiet" onClick={() => setIsRecovery(!isRecovery)}>
            {isRecovery ? 'Use your authenticator app' : 'Use a recovery code'}
          </Button>
        </>
      }
    >
      {isRecovery ? (
        <TextField
          name="totpCode"
          label="Recovery code"
          hint="One of the codes that you saved when you set up the second factor. Each works once."
          autoComplete="off"
          isFirst
        />
      ) : (
        <TextField
          name="totpCode"
          label="Code of your authenticator app"
          hint={`Logging in as ${credentials.email} needs a second factor.`}
          autoComplete="one-time-code"
          inputMode="numeric"
          isFirst
        />
      )}
    </Form>
  );
}

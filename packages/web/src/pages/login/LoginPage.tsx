// The log-in page and its form.

import { useState } from 'preact/compat';
import * as texts from '#texts/accounts/login';
import { hasErrorCode } from '../../errorMessages.js';
import { createPageClient } from '../../registryClient.js';
import { useCurrentUrl, useTitle } from '../../routing.js';
import { setToken } from '../../session.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { Button } from '../../ui/form/Button.js';
import { Form, PasswordField, TextField } from '../../ui/form/Form.js';
import { Card } from '../../ui/layout/Card.js';
import { Link } from '../../ui/text/Link.js';
import { validateCode, validateEmail, validatePassword } from '../../validators.js';
import * as loginStyles from './Login.module.css';
import { loginUrl, useReturnPath } from './returnPath.js';

export function LoginPage() {
  useTitle(texts.logIn);
  const returnPath = useReturnPath();
  const isSessionExpired = useCurrentUrl().searchParams.has('expired');
  return (
    <div className={loginStyles.login}>
      <h1>{texts.logIn}</h1>
      {isSessionExpired && (
        <Notice>
          <p>{texts.expired}</p>
        </Notice>
      )}
      <Card>
        <LoginForm />
      </Card>
      <p>
        <Link to="/forgot-password">{texts.forgotPasswordLink}</Link>
      </p>
      <p>{texts.noAccount(<Link to={loginUrl('/signup', returnPath)}>{texts.signUp}</Link>)}</p>
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
  /** Credentials of an account with a second factor. */
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
      errorMessages={{ UNAUTHORIZED: texts.wrongCredentials }}
      action={texts.logIn}
      busyAction={texts.loggingIn}
    >
      <TextField
        name="email"
        type="email"
        label={texts.emailAddress}
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
      action={texts.logIn}
      busyAction={texts.loggingIn}
      otherActions={
        <>
          <Button onClick={onBack}>{texts.back}</Button>
          <Button kind="quiet" onClick={() => setIsRecovery(!isRecovery)}>
            {isRecovery ? texts.useApp : texts.useRecoveryCode}
          </Button>
        </>
      }
    >
      {isRecovery ? (
        <TextField
          name="totpCode"
          label={texts.recoveryCode}
          hint={texts.recoveryCodeHint}
          autoComplete="off"
          isFirst
        />
      ) : (
        <TextField
          name="totpCode"
          label={texts.appCode}
          hint={texts.appCodeHint(credentials.email)}
          autoComplete="one-time-code"
          inputMode="numeric"
          isFirst
        />
      )}
    </Form>
  );
}

// Requests the mail with a link that sets a new password.

import { useState } from 'preact/compat';
import * as texts from '#texts/accounts/login';
import { hasErrorCode } from '../../errorMessages.js';
import { createPageClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { Form, TextField } from '../../ui/form/Form.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { Link } from '../../ui/text/Link.js';
import { validateEmail } from '../../validators.js';
import * as loginStyles from './Login.module.css';

export function ForgotPasswordPage() {
  useTitle(texts.forgotPassword);
  const [result, setResult] = useState<{ readonly sentTo: string } | 'no-mail'>();
  const request = async ({ email }: { email: string }) => {
    try {
      await createPageClient(() => undefined).requestPasswordReset({ email: email.trim() });
      setResult({ sentTo: email.trim() });
    } catch (error) {
      if (!hasErrorCode(error, 'NOT_FOUND')) throw error;
      setResult('no-mail');
    }
  };
  return (
    <div className={loginStyles.login}>
      <h1>{texts.forgotPassword}</h1>
      {result === 'no-mail' && (
        <Notice tone="warn" isAlert title={texts.noMail}>
          <p>{texts.askOperator}</p>
        </Notice>
      )}
      {typeof result === 'object' && (
        <Notice tone="good" isAlert title={texts.checkMail}>
          <p>{texts.resetLinkSent(<bdi>{result.sentTo}</bdi>)}</p>
        </Notice>
      )}
      {result === undefined && (
        <>
          <p className={basics.quiet}>{texts.forgotPasswordLead}</p>
          <Card>
            <Form
              validators={{ email: validateEmail }}
              submit={request}
              action={texts.sendLink}
              busyAction={texts.sendingLink}
            >
              <TextField name="email" type="email" label={texts.emailAddress} autoComplete="username" isFirst />
            </Form>
          </Card>
        </>
      )}
      <p>
        <Link to="/login">{texts.backToLogIn}</Link>
      </p>
    </div>
  );
}

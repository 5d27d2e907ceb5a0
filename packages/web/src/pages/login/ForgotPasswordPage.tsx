// Requests the mail with a link that sets a new password.

import { useState } from 'preact/compat';
import { hasErrorCode } from '../../errorMessages.js';
import { createPageClient } from '../../registryClient.js';
import { useTitle } from '../../routing.js';
import { Card } from '../../ui/Card.js';
import { Form, TextField } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { validateEmail } from '../../validators.js';
import './login.css';

export function ForgotPasswordPage() {
  useTitle('Forgot password');
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
    <div className="login">
      <h1>Forgot password</h1>
      {result === 'no-mail' && (
        <Notice tone="warn" isAlert title="This service sends no mail">
          <p>Ask its operator for a link that sets a new password.</p>
        </Notice>
      )}
      {typeof result === 'object' && (
        <Notice tone="good" isAlert title="Check your mail">
          <p>
            If <bdi>{result.sentTo}</bdi> has an account, a mail with a link is on its way. The link is valid for one
            hour.
          </p>
        </Notice>
      )}
      {result === undefined && (
        <>
          <p className="quiet">Enter the email address of your account to get a link that sets a new password.</p>
          <Card>
            <Form validators={{ email: validateEmail }} submit={request} action="Send link" busyAction="Sending …">
              <TextField name="email" type="email" label="Email address" autoComplete="username" isFirst />
            </Form>
          </Card>
        </>
      )}
      <p>
        <Link to="/login">Back to log-in</Link>
      </p>
    </div>
  );
}

// Sets a new password, with the token of a reset link.

import { MIN_PASSWORD_LENGTH } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import { hasErrorCode } from '../../errorMessages.js';
import { useLinkToken } from '../../linkToken.js';
import { createPageClient } from '../../registryClient.js';
import { navigate, useTitle } from '../../routing.js';
import { setToken } from '../../session.js';
import { Card } from '../../ui/Card.js';
import { showFlash } from '../../ui/FlashNotice.js';
import { Form, PasswordField } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { validateNewPassword } from '../../validators.js';
import './login.css';

export function ResetPasswordPage() {
  useTitle('Reset password');
  const token = useLinkToken();
  return (
    <div className="login">
      <h1>Reset password</h1>
      {/* Another link opened in the same tab starts again. */}
      {token === '' ? <InvalidLink /> : <ResetForm key={token} token={token} />}
    </div>
  );
}

function InvalidLink() {
  return (
    <Notice tone="warn" isAlert title="This link is not valid">
      <p>It was used already, is older than one hour, or is incomplete.</p>
      <p>
        <Link to="/forgot-password">Request another link</Link>
      </p>
    </Notice>
  );
}

function ResetForm({ token }: { readonly token: string }) {
  const [isInvalid, setIsInvalid] = useState(false);
  const reset = async ({ newPassword }: { newPassword: string }) => {
    try {
      await createPageClient(() => undefined).confirmPasswordReset({ token, newPassword });
    } catch (error) {
      if (!hasErrorCode(error, 'NOT_FOUND')) throw error;
      setIsInvalid(true);
      return;
    }
    // All sessions have ended, also one of this browser.
    setToken(undefined);
    navigate('/login', { replace: true });
    showFlash('Your password is changed. Log in with the new one.');
  };
  if (isInvalid) return <InvalidLink />;
  return (
    <>
      <p className="quiet">You will be logged out on all devices.</p>
      <Card>
        <Form
          validators={{ newPassword: validateNewPassword }}
          submit={reset}
          action="Change password"
          busyAction="Changing …"
        >
          <PasswordField
            name="newPassword"
            label="New password"
            hint={`At least ${MIN_PASSWORD_LENGTH} characters.`}
            autoComplete="new-password"
            isFirst
          />
        </Form>
      </Card>
    </>
  );
}

// Sets a new password, with the token of a reset link.

import { MIN_PASSWORD_LENGTH } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/login';
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
  useTitle(texts.resetPassword);
  const token = useLinkToken();
  return (
    <div className="login">
      <h1>{texts.resetPassword}</h1>
      {/* Another link opened in the same tab starts again. */}
      {token === '' ? <InvalidLink /> : <ResetForm key={token} token={token} />}
    </div>
  );
}

function InvalidLink() {
  return (
    <Notice tone="warn" isAlert title={texts.invalidResetLink}>
      <p>{texts.invalidResetLinkReason}</p>
      <p>
        <Link to="/forgot-password">{texts.requestLink}</Link>
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
    showFlash(texts.passwordChanged);
  };
  if (isInvalid) return <InvalidLink />;
  return (
    <>
      <p className="quiet">{texts.resetPasswordLead}</p>
      <Card>
        <Form
          validators={{ newPassword: validateNewPassword }}
          submit={reset}
          action={texts.changePassword}
          busyAction={texts.changingPassword}
        >
          <PasswordField
            name="newPassword"
            label={texts.newPassword}
            hint={texts.passwordHint(MIN_PASSWORD_LENGTH)}
            autoComplete="new-password"
            isFirst
          />
        </Form>
      </Card>
    </>
  );
}

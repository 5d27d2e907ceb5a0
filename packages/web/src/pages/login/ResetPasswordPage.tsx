// Sets a new password, with the token of a reset link.

import { MIN_PASSWORD_LENGTH } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/accounts/login';
import { hasErrorCode } from '../../errorMessages.js';
import { useLinkToken } from '../../linkToken.js';
import { createPageClient } from '../../registryClient.js';
import { navigate, useTitle } from '../../routing.js';
import { setToken } from '../../session.js';
import { showFlash } from '../../ui/feedback/FlashNotice.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { Form, PasswordField } from '../../ui/form/Form.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Card } from '../../ui/layout/Card.js';
import { Link } from '../../ui/text/Link.js';
import { validateNewPassword } from '../../validators.js';
import * as loginStyles from './Login.module.css';

export function ResetPasswordPage() {
  useTitle(texts.resetPassword);
  const token = useLinkToken();
  return (
    <div className={loginStyles.login}>
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
      <p className={basics.quiet}>{texts.resetPasswordLead}</p>
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

// Changes the password.

import { MIN_PASSWORD_LENGTH } from '@provenance-registry/core';
import * as texts from '#texts/accounts/account';
import { useTitle } from '../../../routing.js';
import { Form, PasswordField, UsernameHint } from '../../../ui/form/Form.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { validateNewPassword, validatePassword } from '../../../validators.js';
import { useAccount } from '../account.js';

export function PasswordPage() {
  useTitle(texts.password);
  const { client, user } = useAccount();
  const change = async (passwords: { currentPassword: string; newPassword: string }) => {
    await client.changePassword(passwords);
  };
  return (
    <>
      <div>
        <h1>{texts.password}</h1>
        <p className={basics.quiet}>{texts.passwordLead}</p>
      </div>
      <Card>
        <Form
          validators={{ currentPassword: validatePassword, newPassword: validateNewPassword }}
          submit={change}
          fieldErrorMessages={{ currentPassword: { UNAUTHORIZED: texts.wrongPassword } }}
          errorMessages={{ CONFLICT: texts.noPassword }}
          action={texts.changePassword}
          busyAction={texts.changing}
          doneMessage={texts.changed}
          resetOnSuccess
        >
          <UsernameHint email={user.email} />
          <PasswordField name="currentPassword" label={texts.currentPassword} autoComplete="current-password" />
          <PasswordField
            name="newPassword"
            label={texts.newPassword}
            hint={texts.newPasswordHint(MIN_PASSWORD_LENGTH)}
            autoComplete="new-password"
          />
        </Form>
      </Card>
    </>
  );
}

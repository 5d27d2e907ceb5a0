// Changes the password.

import { MIN_PASSWORD_LENGTH } from '@provenance-registry/core';
import { useTitle } from '../../../routing.js';
import { Card } from '../../../ui/Card.js';
import { Form, PasswordField, UsernameHint } from '../../../ui/Form.js';
import { validateNewPassword, validatePassword } from '../../../validators.js';
import { useAccount } from '../account.js';
import { NO_PASSWORD } from './messages.js';

export function PasswordPage() {
  useTitle('Password');
  const { client, user } = useAccount();
  const change = async (passwords: { currentPassword: string; newPassword: string }) => {
    await client.changePassword(passwords);
  };
  return (
    <>
      <div>
        <h1>Password</h1>
        <p className="quiet">Changing your password logs you out on all other devices. API keys keep working.</p>
      </div>
      <Card>
        <Form
          validators={{ currentPassword: validatePassword, newPassword: validateNewPassword }}
          submit={change}
          fieldErrorMessages={{ currentPassword: { UNAUTHORIZED: 'Wrong password.' } }}
          errorMessages={{ CONFLICT: NO_PASSWORD }}
          action="Change password"
          busyAction="Changing …"
          doneMessage="Changed."
          resetOnSuccess
        >
          <UsernameHint email={user.email} />
          <PasswordField name="currentPassword" label="Current password" autoComplete="current-password" />
          <PasswordField
            name="newPassword"
            label="New password"
            hint={`At least ${MIN_PASSWORD_LENGTH} characters.`}
            autoComplete="new-password"
          />
        </Form>
      </Card>
    </>
  );
}

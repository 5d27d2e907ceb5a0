// The email address: whether it is verified, and another one.

import { useState } from 'preact/compat';
import { useTitle } from '../../../routing.js';
import { Card } from '../../../ui/Card.js';
import { Form, PasswordField, TextField } from '../../../ui/Form.js';
import { Notice } from '../../../ui/Notice.js';
import { Badge } from '../../../ui/StatusBadge.js';
import { validateEmail, validatePassword } from '../../../validators.js';
import { useAccount } from '../account.js';
import { UnverifiedNotice } from '../UnverifiedNotice.js';
import { NO_PASSWORD } from './messages.js';

/** Without mail, an address that is taken is refused at once. */
const TAKEN =
  'This email address already has an account. If you log in through an OpenID provider, change your address there.';

export function EmailPage() {
  useTitle('Email address');
  const { user } = useAccount();
  return (
    <>
      <h1>Email address</h1>
      {user.email === null ? (
        <p>Your account has no email address.</p>
      ) : (
        <p className="row">
          <bdi className="setting-value">{user.email}</bdi>
          {user.emailVerified ? (
            <Badge tone="good" icon="check" label="Verified" />
          ) : (
            <Badge tone="info" icon="info" label="Not verified" />
          )}
        </p>
      )}
      <UnverifiedNotice />
      <ChangeEmail />
    </>
  );
}

function ChangeEmail() {
  const { client, tiers, user, reload } = useAccount();
  const [requested, setRequested] = useState<string>();
  const change = async ({ email, password }: { email: string; password: string }) => {
    await client.changeEmail({ email: email.trim(), password });
    if (tiers.sendsMail) setRequested(email.trim());
    else reload();
  };
  const validateOtherEmail = (text: string) =>
    validateEmail(text) ??
    (text.trim().toLowerCase() === user.email?.toLowerCase() ? 'This is your current email address.' : undefined);
  return (
    <Card title="Change email address">
      {requested !== undefined && (
        <Notice tone="good" isAlert title="Check your mail">
          <p>
            Open the link that is sent to <bdi>{requested}</bdi> to complete the change. Until then your address stays
            as it is. No mail is sent if the address belongs to another account.
          </p>
        </Notice>
      )}
      <Form
        validators={{ email: validateOtherEmail, password: validatePassword }}
        submit={change}
        fieldErrorMessages={{ password: { UNAUTHORIZED: 'Wrong password.' } }}
        errorMessages={{ CONFLICT: tiers.sendsMail ? NO_PASSWORD : TAKEN }}
        action="Change email address"
        busyAction="Changing …"
        doneMessage={tiers.sendsMail ? undefined : 'Changed.'}
        resetOnSuccess
      >
        <TextField name="email" type="email" label="New email address" autoComplete="email" />
        <PasswordField label="Current password" autoComplete="current-password" />
      </Form>
    </Card>
  );
}

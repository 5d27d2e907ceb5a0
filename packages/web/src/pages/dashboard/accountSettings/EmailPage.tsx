// The email address: whether it is verified, and another one.

import { useState } from 'preact/compat';
import * as texts from '#texts/accounts/account';
import { quoteService } from '../../../errorMessages.js';
import { useTitle } from '../../../routing.js';
import { Notice } from '../../../ui/feedback/Notice.js';
import { Badge } from '../../../ui/feedback/StatusBadge.js';
import { Form, PasswordField, TextField } from '../../../ui/form/Form.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { validateEmail, validatePassword } from '../../../validators.js';
import { useAccount } from '../account.js';
import { UnverifiedNotice } from '../overview/UnverifiedNotice.js';
import * as styles from './EmailPage.module.css';

export function EmailPage() {
  useTitle(texts.email);
  const { user } = useAccount();
  return (
    <>
      <h1>{texts.email}</h1>
      {user.email === null ? (
        <p>{texts.noEmail}</p>
      ) : (
        <p className={basics.row}>
          <bdi className={styles.value}>{user.email}</bdi>
          {user.emailVerified ? (
            <Badge tone="good" icon="check" label={texts.verified} />
          ) : (
            <Badge tone="info" icon="info" label={texts.notVerified} />
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
    validateEmail(text) ?? (text.trim().toLowerCase() === user.email?.toLowerCase() ? texts.sameEmail : undefined);
  return (
    <Card title={texts.changeEmail}>
      {requested !== undefined && (
        <Notice tone="good" isAlert title={texts.checkMail}>
          <p>{texts.linkSent(<bdi>{requested}</bdi>)}</p>
        </Notice>
      )}
      <Form
        validators={{ email: validateOtherEmail, password: validatePassword }}
        submit={change}
        fieldErrorMessages={{ password: { UNAUTHORIZED: texts.wrongPassword } }}
        // Without mail, an address that is taken is refused at once.
        errorMessages={{
          CONFLICT: tiers.sendsMail ? texts.noPassword : texts.emailTaken,
          TIER_RESTRICTION: quoteService,
        }}
        action={texts.changeEmail}
        busyAction={texts.changing}
        doneMessage={tiers.sendsMail ? undefined : texts.changed}
        resetOnSuccess
      >
        <TextField name="email" type="email" label={texts.newEmail} autoComplete="email" />
        <PasswordField label={texts.currentPassword} autoComplete="current-password" />
      </Form>
    </Card>
  );
}

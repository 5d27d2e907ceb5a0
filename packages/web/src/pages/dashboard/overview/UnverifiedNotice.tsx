// Reminds of an email address that is not verified. Renders nothing where the service sends no mail.

import { useState } from 'preact/compat';
import * as texts from '#texts/accounts/emailVerification';
import { hasErrorCode } from '../../../errorMessages.js';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { Notice } from '../../../ui/feedback/Notice.js';
import { Button } from '../../../ui/form/Button.js';
import { useAction } from '../../../ui/form/useAction.js';
import { useAccount } from '../account.js';

export function UnverifiedNotice() {
  const { client, tiers, user, reload } = useAccount();
  const [isSent, setIsSent] = useState(false);
  const { isBusy, error, run } = useAction(async () => {
    try {
      await client.resendVerification();
      setIsSent(true);
      announce(texts.announcement);
    } finally {
      // The address may have been verified in another tab.
      reload();
    }
  });
  if (user.email === null || user.emailVerified || !tiers.sendsMail || hasErrorCode(error, 'NOT_FOUND')) return null;
  const actions = isSent ? undefined : (
    <Button isBusy={isBusy} onClick={() => run()}>
      {isBusy ? texts.sending : texts.send}
    </Button>
  );
  return (
    <>
      <Notice title={texts.title} actions={actions}>
        <p>{isSent ? texts.sentAgain(<bdi>{user.email}</bdi>) : texts.reminder(<bdi>{user.email}</bdi>)}</p>
      </Notice>
      <ErrorNotice error={error} />
    </>
  );
}

// Reminds of an email address that is not verified. Renders nothing where the service sends no mail.

import { useState } from 'preact/compat';
import { hasErrorCode } from '../../errorMessages.js';
import { Button } from '../../ui/Button.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { useAction } from '../../ui/useAction.js';
import { useAccount } from './account.js';

export function UnverifiedNotice() {
  const { client, tiers, user, reload } = useAccount();
  const [isSent, setIsSent] = useState(false);
  const { isBusy, error, run } = useAction(async () => {
    try {
      await client.resendVerification();
      setIsSent(true);
      announce('The mail is on its way.');
    } finally {
      // The address may have been verified in another tab.
      reload();
    }
  });
  if (user.email === null || user.emailVerified || !tiers.sendsMail || hasErrorCode(error, 'NOT_FOUND')) return null;
  const actions = isSent ? undefined : (
    <Button isBusy={isBusy} onClick={() => run()}>
      {isBusy ? 'Sending …' : 'Send again'}
    </Button>
  );
  return (
    <>
      <Notice title="Verify your email address" actions={actions}>
        {isSent ? (
          <p>
            Another mail to <bdi>{user.email}</bdi> is on its way. Its link is valid for 24 hours.
          </p>
        ) : (
          <p>
            Open the link in the mail that was sent to <bdi>{user.email}</bdi>. A verified address can accept
            invitations and gets notices about the security of your account.
          </p>
        )}
      </Notice>
      <ErrorNotice error={error} />
    </>
  );
}

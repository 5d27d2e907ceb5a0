// Logs out of this browser. Asks first while files are in progress.

import type { RegistryClient } from '@provenance-registry/client';
import { useState } from 'preact/compat';
import * as texts from '#texts/accounts/account';
import { hasErrorCode } from '../../../errorMessages.js';
import { navigate } from '../../../routing.js';
import { setToken } from '../../../session.js';
import { useStore } from '../../../store.js';
import { showFlash } from '../../../ui/feedback/FlashNotice.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmDialog } from '../../../ui/form/Dialog.js';
import { useAccount } from '../account.js';
import { isFinished } from '../registrationQueue/queueRow.js';

/** The user is logged out here at once; this only bounds when the page says that the service does not know. */
const LOG_OUT_TIMEOUT_MS = 5_000;

export function LogOutButton() {
  const { client, userQueue } = useAccount();
  const { rows } = useStore(userQueue.queue.summary);
  const [isConfirming, setIsConfirming] = useState(false);
  const unfinished = rows.filter((row) => !isFinished(row)).length;
  return (
    <>
      <Button onClick={() => (unfinished > 0 ? setIsConfirming(true) : logOut(client))}>{texts.logOut}</Button>
      {isConfirming && (
        <ConfirmDialog
          title={texts.logOutQuestion}
          action={texts.logOut}
          work={() => logOut(client)}
          onClose={() => setIsConfirming(false)}
        >
          <p>{texts.filesInProgress(unfinished)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Forgets the token first, so that it works without a connection too. */
async function logOut(client: RegistryClient): Promise<void> {
  // Leave the dashboard first: without a token it redirects to the log-in page.
  navigate('/');
  setToken(undefined);
  try {
    await client.logOut({ signal: AbortSignal.timeout(LOG_OUT_TIMEOUT_MS) });
    showFlash(texts.loggedOut);
  } catch (error) {
    // The session had ended already.
    if (hasErrorCode(error, 'UNAUTHORIZED')) return;
    showFlash(texts.sessionMayLive, 'warn');
  }
}

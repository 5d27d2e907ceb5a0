// Logs out of this browser. Asks first while files are in progress.

import type { RegistryClient } from '@provenance-registry/client';
import { useState } from 'preact/compat';
import { hasErrorCode } from '../../../errorMessages.js';
import { navigate } from '../../../routing.js';
import { setToken } from '../../../session.js';
import { useStore } from '../../../store.js';
import { Button } from '../../../ui/Button.js';
import { ConfirmDialog } from '../../../ui/Dialog.js';
import { showFlash } from '../../../ui/FlashNotice.js';
import { pluralize } from '../../../ui/format.js';
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
      <Button onClick={() => (unfinished > 0 ? setIsConfirming(true) : logOut(client))}>Log out</Button>
      {isConfirming && (
        <ConfirmDialog
          title="Log out now?"
          action="Log out"
          work={() => logOut(client)}
          onClose={() => setIsConfirming(false)}
        >
          <p>
            {pluralize(unfinished, 'file')} in your list {unfinished === 1 ? 'is' : 'are'} still in progress. The list
            stays in this browser and continues when you log in again.
          </p>
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
    showFlash('You are logged out.');
  } catch (error) {
    // The session had ended already.
    if (hasErrorCode(error, 'UNAUTHORIZED')) return;
    showFlash(
      'You are logged out of this browser, but the service could not be reached to end the session. It expires by ' +
        'itself within seven days; to end it sooner, log in again and open Sessions in your account.',
      'warn',
    );
  }
}

// Open invitations to the verified address of the user.

import { useCallback } from 'preact/compat';
import * as texts from '#texts/organizations/invitations';
import { navigate } from '../../../routing.js';
import { ErrorNotice } from '../../../ui/feedback/ErrorNotice.js';
import { showFlash } from '../../../ui/feedback/FlashNotice.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { InvitationActions, InvitationText } from '../../invitation/InvitationActions.js';
import { useAccount, useAuthedQuery } from '../account.js';
import * as listsStyles from '../lists.module.css';
import { invitationEvents } from '../live/eventFilters.js';

/** Nothing without invitations. */
export function ReceivedInvitations() {
  const { client, reload } = useAccount();
  const load = useCallback((signal: AbortSignal) => client.listReceivedInvitations({ signal }), [client]);
  const query = useAuthedQuery(load, invitationEvents);
  if (query.error !== undefined) {
    return <ErrorNotice error={query.error} onRetry={query.reload} isBusy={query.isLoading} />;
  }
  if (!query.value?.length) return null;
  const open = (path: string, message: string) => {
    reload();
    navigate(path);
    showFlash(message);
  };
  const onDeclined = (message: string) => {
    showFlash(message);
    query.reload();
  };
  return (
    <Card title={texts.receivedTitle}>
      <ul className={listsStyles.list}>
        {query.value.map((invitation) => (
          <li key={invitation.id} className={listsStyles.item}>
            <div>
              <InvitationText invitation={invitation} />
            </div>
            <div className={basics.row}>
              <InvitationActions
                client={client}
                token={invitation.token}
                invitation={invitation}
                onAccepted={open}
                onDeclined={onDeclined}
              />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

// The sessions of the user, each of which can be ended.

import type { Session } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/accounts/account';
import { useTitle } from '../../../routing.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { Badge } from '../../../ui/feedback/StatusBadge.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmButton, ConfirmDialog } from '../../../ui/form/Dialog.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Link } from '../../../ui/text/Link.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import { useAccount, useAuthedQuery } from '../account.js';
import * as listsStyles from '../lists.module.css';
import { sessionEvents } from '../live/eventFilters.js';
import { deviceName } from './deviceName.js';
import { LogOutButton } from './LogOutButton.js';
import * as styles from './SessionsPage.module.css';

export function SessionsPage() {
  useTitle(texts.sessions);
  const { client } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const sessions = await client.listSessions({ signal });
      return sessions.toSorted((one, other) => Number(other.current) - Number(one.current));
    },
    [client],
  );
  const query = useAuthedQuery(load, sessionEvents);
  const [isConfirming, setIsConfirming] = useState(false);
  const end = async (sessionId: string) => {
    await client.endSession({ sessionId });
    announce(texts.sessionEnded);
    query.reload();
  };
  const endOthers = async () => {
    await client.endSessions({ keepCurrent: true });
    announce(texts.loggedOutElsewhere);
    query.reload();
  };
  return (
    <>
      <div>
        <h1>{texts.sessions}</h1>
        <p className={basics.quiet}>
          {texts.sessionsLead(<Link to="/dashboard/account/password">{texts.changeYourPassword}</Link>)}
        </p>
      </div>
      <QueryView query={query} what={texts.theSessions}>
        {(sessions) => (
          <>
            <ul className={listsStyles.list}>
              {sessions.map((session) => (
                <SessionItem key={session.id} session={session} onEnd={() => end(session.id)} />
              ))}
            </ul>
            <div className={basics.row}>
              <LogOutButton />
              {sessions.length > 1 && <Button onClick={() => setIsConfirming(true)}>{texts.logOutElsewhere}</Button>}
            </div>
          </>
        )}
      </QueryView>
      {isConfirming && (
        <ConfirmDialog
          title={texts.logOutElsewhereQuestion}
          action={texts.logOutElsewhere}
          work={endOthers}
          onClose={() => setIsConfirming(false)}
        >
          <p>{texts.logOutElsewhereEffect}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function SessionItem({ session, onEnd }: { readonly session: Session; readonly onEnd: () => Promise<void> }) {
  const { createdAt, lastUsedAt, userAgent, current } = session;
  const device = deviceName(userAgent);
  return (
    <li className={`${listsStyles.item} ${styles.session}`}>
      <div>
        <span className={basics.row}>
          <span className={listsStyles.name}>{device}</span>
          {current && <Badge tone="good" icon="check" label={texts.thisSession} />}
        </span>
        <span className={listsStyles.details}>
          <span>{texts.lastUsed(<Timestamp at={lastUsedAt} />)}</span>
          <span>{texts.loggedIn(<Timestamp at={createdAt} isDayOnly />)}</span>
        </span>
      </div>
      {!current && (
        <ConfirmButton verb={texts.end} name={device} action={texts.endSession} work={onEnd}>
          <p>{texts.endSessionEffect}</p>
        </ConfirmButton>
      )}
    </li>
  );
}

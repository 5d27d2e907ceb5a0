// The sessions of the user, each of which can be ended.

import type { Session } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import { useTitle } from '../../../routing.js';
import { Button } from '../../../ui/Button.js';
import { ConfirmButton, ConfirmDialog } from '../../../ui/Dialog.js';
import { Link } from '../../../ui/Link.js';
import { announce } from '../../../ui/LiveRegion.js';
import { QueryView } from '../../../ui/query.js';
import { Badge } from '../../../ui/StatusBadge.js';
import { Timestamp } from '../../../ui/Timestamp.js';
import { useAccount, useAuthedQuery } from '../account.js';
import { deviceName } from './deviceName.js';
import { LogOutButton } from './LogOutButton.js';

export function SessionsPage() {
  useTitle('Sessions');
  const { client } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const sessions = await client.listSessions({ signal });
      return sessions.toSorted((one, other) => Number(other.current) - Number(one.current));
    },
    [client],
  );
  const query = useAuthedQuery(load);
  const [isConfirming, setIsConfirming] = useState(false);
  const end = async (sessionId: string) => {
    await client.endSession({ sessionId });
    announce('The session is ended.');
    query.reload();
  };
  const endOthers = async () => {
    await client.endSessions({ keepCurrent: true });
    announce('You are logged out everywhere else.');
    query.reload();
  };
  return (
    <>
      <div>
        <h1>Sessions</h1>
        <p className="quiet">
          Where you are logged in. If you do not recognize one, end it and{' '}
          <Link to="/dashboard/account/password">change your password</Link>.
        </p>
      </div>
      <QueryView query={query} what="sessions">
        {(sessions) => (
          <>
            <ul className="list">
              {sessions.map((session) => (
                <SessionItem key={session.id} session={session} onEnd={() => end(session.id)} />
              ))}
            </ul>
            <div className="row">
              <LogOutButton />
              {sessions.length > 1 && <Button onClick={() => setIsConfirming(true)}>Log out everywhere else</Button>}
            </div>
          </>
        )}
      </QueryView>
      {isConfirming && (
        <ConfirmDialog
          title="Log out everywhere else?"
          action="Log out everywhere else"
          work={endOthers}
          onClose={() => setIsConfirming(false)}
        >
          <p>All sessions but this one end immediately. Organizations' API keys keep working.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function SessionItem({ session, onEnd }: { readonly session: Session; readonly onEnd: () => Promise<void> }) {
  const { createdAt, lastUsedAt, userAgent, current } = session;
  const device = deviceName(userAgent);
  return (
    <li className="list-item session">
      <div>
        <span className="row">
          <span className="list-name">{device}</span>
          {current && <Badge tone="good" icon="check" label="This session" />}
        </span>
        <span className="list-details">
          <span>
            Last used <Timestamp at={lastUsedAt} />
          </span>
          <span>
            Logged in <Timestamp at={createdAt} isDayOnly />
          </span>
        </span>
      </div>
      {!current && (
        <ConfirmButton verb="End" name={device} action="End session" work={onEnd}>
          <p>This device is logged out immediately.</p>
        </ConfirmButton>
      )}
    </li>
  );
}

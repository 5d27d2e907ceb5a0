// The first page of the dashboard: invitations, Marks and limits.

import { useCallback } from 'preact/compat';
import { navigate, useTitle } from '../../routing.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { QueryView } from '../../ui/query.js';
import { useAccount, useAuthedQuery } from './account.js';
import { MarkList } from './lists.js';
import { NewMarkCard } from './NewMarkCard.js';
import { ReceivedInvitations } from './ReceivedInvitations.js';
import { TierUsageCard } from './tierLimits.js';
import { UnverifiedNotice } from './UnverifiedNotice.js';

export function OverviewPage() {
  useTitle('Dashboard');
  const { user, organizations, client } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [marks, limits] = await Promise.all([client.listMarks({ signal }), client.getTierLimits({}, { signal })]);
      return { marks, limits };
    },
    [client],
  );
  const query = useAuthedQuery(load);
  const frozen = organizations.filter(({ status }) => status === 'frozen');
  return (
    <div className="stack">
      <h1>
        Welcome, <bdi>{user.name}</bdi>
      </h1>
      <UnverifiedNotice />
      {frozen.map(({ id, name }) => (
        <Notice key={id} tone="warn">
          <p>
            The organization{' '}
            <Link to={`/dashboard/organizations/${id}`}>
              <bdi>{name}</bdi>
            </Link>{' '}
            is frozen: files cannot be registered under its Marks.
          </p>
        </Notice>
      ))}
      <ReceivedInvitations />
      <QueryView query={query} what="Marks">
        {({ marks, limits }) => (
          <>
            {marks.length === 0 ? (
              <NewMarkCard
                title="Create your first Mark"
                onCreated={({ id }) => navigate(`/dashboard/register?mark=${id}`)}
              />
            ) : (
              <>
                <div className="row">
                  <Link to="/dashboard/register" className={buttonClass('primary')}>
                    Register files
                  </Link>
                </div>
                <Card title="Your Marks">
                  <MarkList marks={marks} />
                </Card>
              </>
            )}
            <TierUsageCard limits={limits} />
          </>
        )}
      </QueryView>
    </div>
  );
}

// The dashboard's first page: one's Marks, and how much of the tier is used.

import { useCallback } from 'react';
import { Link, navigate, useTitle } from '../../routing.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { Notice } from '../../ui/Notice.js';
import { Loading } from '../../ui/QueryView.js';
import { useAccount } from './account.js';
import { MarkList, NewMark } from './MarksPage.js';
import { Limits, tierTitles } from './UsageMeters.js';
import { useAuthedQuery } from './useAuthedQuery.js';

export function Overview() {
  useTitle('Dashboard');
  const { user, organizations, service } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [marks, limits] = await Promise.all([service.listMarks({ signal }), service.getTierLimits({}, { signal })]);
      return { marks, limits };
    },
    [service],
  );
  const loading = useAuthedQuery(load);
  const frozen = organizations.filter(({ status }) => status === 'frozen');
  return (
    <div className="stack">
      <h1>
        Welcome, <bdi>{user.name}</bdi>
      </h1>
      {frozen.map(({ id, name }) => (
        <Notice key={id} tone="warn">
          <p>
            The organization{' '}
            <Link to={`/dashboard/organizations/${id}`}>
              <bdi>{name}</bdi>
            </Link>{' '}
            is frozen: nothing can be registered under its Marks.
          </p>
        </Notice>
      ))}
      <Loading of={loading} what="your Marks">
        {({ marks, limits }) => (
          <>
            {marks.length === 0 ? (
              <NewMark title="Make your first Mark" onMade={({ id }) => navigate(`/dashboard/register?mark=${id}`)} />
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
            <Card title={`Limits of the ${tierTitles[limits.tier]} tier`}>
              <Limits limits={limits} />
            </Card>
          </>
        )}
      </Loading>
    </div>
  );
}

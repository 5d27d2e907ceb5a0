// The first page of the dashboard: invitations, first steps or Marks, and limits.

import type { Mark, TierLimits } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/accounts/overview';
import { useTitle } from '../../../routing.js';
import { Notice } from '../../../ui/feedback/Notice.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { buttonClass } from '../../../ui/form/Button.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { Link } from '../../../ui/text/Link.js';
import { useAccount, useAuthedQuery } from '../account.js';
import { MarkList } from '../lists.js';
import { overviewEvents } from '../live/eventFilters.js';
import { ReceivedInvitations } from '../organizations/ReceivedInvitations.js';
import { TierUsageCard } from '../tierLimits.js';
import { PausedWebhooks } from '../webhooks/PausedWebhooks.js';
import { FirstSteps } from './FirstSteps.js';
import { UnverifiedNotice } from './UnverifiedNotice.js';

export function OverviewPage() {
  useTitle(texts.title);
  const { user, organizations, client } = useAccount();
  const load = useCallback(
    async (signal: AbortSignal) => {
      const [marks, limits] = await Promise.all([client.listMarks({ signal }), client.getTierLimits({}, { signal })]);
      return { marks, limits };
    },
    [client],
  );
  const query = useAuthedQuery(load, overviewEvents);
  const frozen = organizations.filter(({ status }) => status === 'frozen');
  return (
    <div className={basics.stack}>
      <h1>{texts.welcome(<bdi>{user.name}</bdi>)}</h1>
      <UnverifiedNotice />
      {frozen.map(({ id, name }) => (
        <Notice key={id} tone="warn">
          <p>
            {texts.frozen(
              <Link to={`/dashboard/organizations/${id}`}>
                <bdi>{name}</bdi>
              </Link>,
            )}
          </p>
        </Notice>
      ))}
      <PausedWebhooks />
      <ReceivedInvitations />
      <QueryView query={query} what={texts.marks}>
        {({ marks, limits }) => <Overview marks={marks} limits={limits} onChange={query.reload} />}
      </QueryView>
    </div>
  );
}

interface OverviewProps {
  readonly marks: readonly Mark[];
  readonly limits: TierLimits;
  /** Loads both again. */
  readonly onChange: () => void;
}

function Overview({ marks, limits, onChange }: OverviewProps) {
  const { user } = useAccount();
  // The first steps stay until the user leaves the page, also when the last one is done.
  const [isNew] = useState(() => isNewUser(user.id, marks, limits));
  return (
    <>
      {isNew ? <FirstSteps marks={marks} onChange={onChange} /> : <OwnMarks marks={marks} />}
      <TierUsageCard limits={limits} />
    </>
  );
}

/** Has registered nothing yet, and has no Mark but their own first one. */
function isNewUser(userId: string, marks: readonly Mark[], { usage }: TierLimits): boolean {
  if (marks.length > 1 || usage.lifetimeArtifacts > 0) return false;
  return marks.every(({ owner, isClosed }) => owner?.id === userId && !isClosed);
}

function OwnMarks({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <>
      <div className={basics.row}>
        <Link to="/dashboard/register" className={buttonClass('primary')}>
          {texts.registerFiles}
        </Link>
      </div>
      <Card title={texts.yourMarks}>
        <MarkList marks={marks} />
      </Card>
    </>
  );
}

// The dashboard: navigation, session handling and the page within.

import { useCallback, useEffect, useMemo, useState } from 'preact/compat';
import * as texts from '#texts/accounts/dashboard';
import { hasErrorCode } from '../../errorMessages.js';
import { createPageClient } from '../../registryClient.js';
import { navigate, type Routes, renderRoute, useCurrentUrl } from '../../routing.js';
import { useToken } from '../../session.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { QueryView, useQuery } from '../../ui/feedback/query.js';
import { Button } from '../../ui/form/Button.js';
import { Dialog } from '../../ui/form/Dialog.js';
import { Link } from '../../ui/text/Link.js';
import { LoginForm } from '../login/LoginPage.js';
import { loginUrl } from '../login/returnPath.js';
import { NotFoundPage } from '../NotFoundPage.js';
import { ApiKeysPage } from './ApiKeysPage.js';
import {
  type Account,
  AccountProvider,
  connectClient,
  useAccount,
  useIsSessionExpired,
  useStableValue,
} from './account.js';
import { AccountPage } from './accountSettings/AccountPage.js';
import { ClaimsPage } from './claims/ClaimsPage.js';
import { NewClaimPage } from './claims/NewClaimPage.js';
import * as styles from './DashboardPage.module.css';
import { FilesPage } from './files/FilesPage.js';
import { accountEvents } from './live/eventFilters.js';
import { LiveStatus } from './live/LiveStatus.js';
import { useEventReload } from './live/useEventReload.js';
import { MarkSettingsPage } from './marks/MarkSettingsPage.js';
import { MarksPage } from './marks/MarksPage.js';
import { OrganizationPage } from './organizations/OrganizationPage.js';
import { OrganizationsPage } from './organizations/OrganizationsPage.js';
import { OverviewPage } from './overview/OverviewPage.js';
import { RegisterPage } from './RegisterPage.js';
import { getUserQueue } from './registrationQueue/userQueue.js';
import { WebhookPage } from './webhooks/WebhookPage.js';
import { WebhooksPage } from './webhooks/WebhooksPage.js';

const routes: Routes = [
  [/^\/dashboard\/?$/, () => <OverviewPage />],
  [/^\/dashboard\/register$/, () => <RegisterPage />],
  [/^\/dashboard\/files$/, () => <FilesPage />],
  [/^\/dashboard\/marks$/, () => <MarksPage />],
  [/^\/dashboard\/marks\/([^/]+)$/, (markId) => <MarkSettingsPage key={markId} markId={markId} />],
  [/^\/dashboard\/organizations$/, () => <OrganizationsPage />],
  [/^\/dashboard\/organizations\/([^/]+)$/, (id) => <OrganizationPage key={id} organizationId={id} />],
  [/^\/dashboard\/claims$/, () => <ClaimsPage />],
  [/^\/dashboard\/claims\/new$/, () => <NewClaimPage />],
  [/^\/dashboard\/keys$/, () => <ApiKeysPage />],
  [/^\/dashboard\/webhooks$/, () => <WebhooksPage />],
  [/^\/dashboard\/webhooks\/([^/]+)$/, (id) => <WebhookPage key={id} webhookId={id} />],
  [/^\/dashboard\/account(\/.*)?$/, () => <AccountPage />],
];

const tabs = [
  ['/dashboard', texts.tabs.overview],
  ['/dashboard/register', texts.tabs.register],
  ['/dashboard/files', texts.tabs.files],
  ['/dashboard/marks', texts.tabs.marks],
  ['/dashboard/claims', texts.tabs.claims],
  ['/dashboard/organizations', texts.tabs.organizations],
  ['/dashboard/keys', texts.tabs.keys],
  ['/dashboard/webhooks', texts.tabs.webhooks],
  ['/dashboard/account', texts.tabs.account],
] as const;

type LoadedAccount = Omit<Account, 'reload'> & { readonly token: string };

export function DashboardPage() {
  const token = useToken();
  if (token === undefined) return <LoginRedirect isSessionExpired={false} />;
  return <AccountLoader token={token} />;
}

function AccountLoader({ token }: { readonly token: string }) {
  const load = useCallback((signal: AbortSignal) => loadAccount(token, signal), [token]);
  const query = useQuery(load);
  // Also opens the stream before the pages load what its events change.
  useEventReload(query, accountEvents);
  const account = useLastDefined(query.value);
  // Before the first load there is no work that a dialog would preserve.
  if (!account && hasErrorCode(query.error, 'UNAUTHORIZED')) return <LoginRedirect isSessionExpired />;
  if (!account) {
    return (
      <QueryView query={query} what={texts.yourAccount}>
        {() => null}
      </QueryView>
    );
  }
  return <Dashboard key={account.user.id} loaded={account} reload={query.reload} />;
}

async function loadAccount(token: string, signal: AbortSignal): Promise<LoadedAccount> {
  const tokenClient = createPageClient(() => token);
  const [{ user, organizations }, tiers] = await Promise.all([
    tokenClient.getMe({ signal }),
    tokenClient.listTiers({ signal }),
  ]);
  // A newer token may have replaced this one.
  signal.throwIfAborted();
  const client = connectClient(user.id, token);
  return { token, user, organizations, tiers, client, userQueue: getUserQueue(user.id, client) };
}

/** The last value, while another one is loading. */
function useLastDefined<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}

function LoginRedirect({ isSessionExpired }: { readonly isSessionExpired: boolean }) {
  const { pathname, search, hash } = useCurrentUrl();
  useEffect(() => {
    navigate(loginUrl('/login', pathname + search + hash, { isSessionExpired }), { replace: true });
  }, [pathname, search, hash, isSessionExpired]);
  return null;
}

function Dashboard({ loaded, reload }: { readonly loaded: LoadedAccount; readonly reload: () => void }) {
  const { token, client, userQueue } = loaded;
  const user = useStableValue(loaded.user);
  const organizations = useStableValue(loaded.organizations);
  const tiers = useStableValue(loaded.tiers);
  const account = useMemo(
    () => ({ user, organizations, tiers, client, userQueue, reload }),
    [user, organizations, tiers, client, userQueue, reload],
  );
  useEffect(() => userQueue.connect(token), [userQueue, token]);
  const { pathname } = useCurrentUrl();
  return (
    <AccountProvider value={account}>
      <nav className={styles.tabs} aria-label={texts.label}>
        {tabs.map(([to, name]) => (
          <Link key={to} to={to} isCurrent={to === pathname || (to !== '/dashboard' && pathname.startsWith(`${to}/`))}>
            {name}
          </Link>
        ))}
      </nav>
      <ExpiredSessionDialog />
      <LiveStatus />
      {renderRoute(routes, pathname) ?? <NotFoundPage />}
    </AccountProvider>
  );
}

/** Over the page, which keeps its state until the user has logged in again and the account is loaded. */
function ExpiredSessionDialog() {
  const { user } = useAccount();
  const isExpired = useIsSessionExpired();
  const [isDismissed, setIsDismissed] = useState(false);
  if (!isExpired) return null;
  if (isDismissed) {
    const actions = (
      <Button kind="primary" onClick={() => setIsDismissed(false)}>
        {texts.logIn}
      </Button>
    );
    return (
      <Notice tone="warn" title={texts.expired} actions={actions}>
        <p>{texts.workIsPaused}</p>
      </Notice>
    );
  }
  return (
    <Dialog title={texts.logInToContinue} onClose={() => setIsDismissed(true)}>
      <p>{texts.nothingIsLost}</p>
      <LoginForm email={user.email ?? undefined} />
    </Dialog>
  );
}

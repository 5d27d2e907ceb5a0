// What is one's own: the frame of the dashboard, and who may see it.

import type { Organization, Tiers, User } from '@provenance-registry/core';
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react';
import { hasCode, serviceWith } from '../../registryClient.js';
import { Link, navigate, useAddress } from '../../routing.js';
import { keepToken, useIsSessionOver, useToken } from '../../session.js';
import { Button } from '../../ui/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { Notice } from '../../ui/Notice.js';
import { Loading, useLoaded } from '../../ui/QueryView.js';
import { entrance, LoginForm } from '../login/LoginPage.js';
import { NotFoundPage } from '../NotFoundPage.js';
import { AccountPage } from './AccountPage.js';
import { KeysPage } from './ApiKeysPage.js';
import { AccountProvider, serviceOf, useAccount } from './account.js';
import { MarkPage } from './MarkSettingsPage.js';
import { MarksPage } from './MarksPage.js';
import { OrganizationPage } from './OrganizationPage.js';
import { OrganizationsPage } from './OrganizationsPage.js';
import { Overview } from './OverviewPage.js';
import { RegisterPage } from './RegisterPage.js';
import { registrationsOf } from './registrationQueue/userQueue.js';
import './dashboard.css';

const pages: readonly (readonly [RegExp, (part: string) => ReactNode])[] = [
  [/^\/dashboard\/?$/, () => <Overview />],
  [/^\/dashboard\/register$/, () => <RegisterPage />],
  [/^\/dashboard\/marks$/, () => <MarksPage />],
  [/^\/dashboard\/marks\/([^/]+)$/, (markId) => <MarkPage key={markId} markId={markId} />],
  [/^\/dashboard\/organizations$/, () => <OrganizationsPage />],
  [/^\/dashboard\/organizations\/([^/]+)$/, (id) => <OrganizationPage key={id} organizationId={id} />],
  [/^\/dashboard\/keys$/, () => <KeysPage />],
  [/^\/dashboard\/account$/, () => <AccountPage />],
];

const links = [
  ['/dashboard', 'Overview'],
  ['/dashboard/register', 'Register'],
  ['/dashboard/marks', 'Marks'],
  ['/dashboard/organizations', 'Organizations'],
  ['/dashboard/keys', 'API keys'],
  ['/dashboard/account', 'Account'],
] as const;

interface Loaded {
  readonly token: string;
  readonly user: User;
  readonly organizations: readonly Organization[];
  readonly tiers: Tiers;
}

export function Dashboard() {
  const token = useToken();
  if (token === undefined) return <GoToLogin hasEnded={false} />;
  return <LoggedIn token={token} />;
}

function LoggedIn({ token }: { readonly token: string }) {
  const load = useCallback(
    async (signal: AbortSignal): Promise<Loaded> => {
      const service = serviceWith(() => token);
      const [me, tiers] = await Promise.all([service.getMe({ signal }), service.listTiers({ signal })]);
      return { ...me, tiers, token };
    },
    [token],
  );
  const loading = useLoaded(load);
  const me = useLast(loading.value);
  // Nobody is at work here yet whom a dialog would help to go on.
  if (!me && hasCode(loading.error, 'UNAUTHORIZED')) return <GoToLogin hasEnded />;
  if (!me) {
    return (
      <Loading of={loading} what="your account">
        {() => null}
      </Loading>
    );
  }
  return <AtWork key={me.user.id} me={me} reload={loading.reload} />;
}

/** While another one is loaded, the one before stays. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}

/** The same object for as long as it says the same: after a new log-in nothing is loaded again because of it. */
function useSame<T>(value: T): T {
  const [kept, setKept] = useState(value);
  if (JSON.stringify(kept) === JSON.stringify(value)) return kept;
  setKept(value);
  return value;
}

function GoToLogin({ hasEnded }: { readonly hasEnded: boolean }) {
  const { pathname, search, hash } = useAddress();
  useEffect(() => {
    navigate(entrance('/login', pathname + search + hash, { hasEnded }), { replace: true });
  }, [pathname, search, hash, hasEnded]);
  return null;
}

function AtWork({ me, reload }: { readonly me: Loaded; readonly reload: () => void }) {
  const { token } = me;
  const [user, organizations, tiers] = [useSame(me.user), useSame(me.organizations), useSame(me.tiers)];
  const service = serviceOf(user.id, token);
  const account = useMemo(
    () => ({ user, organizations, tiers, reload, service }),
    [user, organizations, tiers, reload, service],
  );
  useEffect(() => registrationsOf(user.id, service).connect(token), [user.id, service, token]);
  const { pathname } = useAddress();
  return (
    <AccountProvider value={account}>
      <nav className="tabs" aria-label="Dashboard">
        {links.map(([to, name]) => (
          <Link key={to} to={to} isHere={to === pathname || (to !== '/dashboard' && pathname.startsWith(`${to}/`))}>
            {name}
          </Link>
        ))}
      </nav>
      <LoginAgain />
      {pageAt(pathname)}
    </AccountProvider>
  );
}

function pageAt(pathname: string): ReactNode {
  for (const [pattern, page] of pages) {
    const match = pattern.exec(pathname);
    if (match) return page(match[1] ?? '');
  }
  return <NotFoundPage />;
}

/** When the token has expired in the middle: everything stays where it is until somebody has logged in. */
function LoginAgain() {
  const { user } = useAccount();
  const isOver = useIsSessionOver();
  const [isPutOff, setIsPutOff] = useState(false);
  if (!isOver) return null;
  if (isPutOff) {
    const actions = (
      <Button kind="primary" onClick={() => setIsPutOff(false)}>
        Log in
      </Button>
    );
    return (
      <Notice tone="warn" title="You are not logged in any more" actions={actions}>
        <p>Your work is paused. It goes on when you have logged in.</p>
      </Notice>
    );
  }
  return (
    <Dialog title="Log in to go on" onClose={() => setIsPutOff(true)}>
      <p>Some time has passed, so you were logged out. Your work is paused, and nothing is lost.</p>
      <LoginForm email={user.email ?? undefined} onSession={({ token }) => keepToken(token)} />
    </Dialog>
  );
}

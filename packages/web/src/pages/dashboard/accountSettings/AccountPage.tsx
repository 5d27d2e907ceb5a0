// The settings of the account: one page for each, with navigation between them.

import { type Routes, renderRoute, useCurrentUrl } from '../../../routing.js';
import { Link } from '../../../ui/Link.js';
import { NotFoundPage } from '../../NotFoundPage.js';
import { DataPage } from './DataPage.js';
import { EmailPage } from './EmailPage.js';
import { PasswordPage } from './PasswordPage.js';
import { ProfilePage } from './ProfilePage.js';
import { SecondFactorPage } from './SecondFactorPage.js';
import { SessionsPage } from './SessionsPage.js';
import { TierPage } from './TierPage.js';
import './accountSettings.css';

const routes: Routes = [
  [/^\/dashboard\/account$/, () => <ProfilePage />],
  [/^\/dashboard\/account\/email$/, () => <EmailPage />],
  [/^\/dashboard\/account\/password$/, () => <PasswordPage />],
  [/^\/dashboard\/account\/second-factor$/, () => <SecondFactorPage />],
  [/^\/dashboard\/account\/sessions$/, () => <SessionsPage />],
  [/^\/dashboard\/account\/tier$/, () => <TierPage />],
  [/^\/dashboard\/account\/data$/, () => <DataPage />],
];

const links = [
  ['/dashboard/account', 'Profile'],
  ['/dashboard/account/email', 'Email address'],
  ['/dashboard/account/password', 'Password'],
  ['/dashboard/account/second-factor', 'Second factor'],
  ['/dashboard/account/sessions', 'Sessions'],
  ['/dashboard/account/tier', 'Tier'],
  ['/dashboard/account/data', 'Your data'],
] as const;

export function AccountPage() {
  const { pathname } = useCurrentUrl();
  return (
    <div className="settings">
      <nav className="settings-nav" aria-label="Account settings">
        {links.map(([to, name]) => (
          <Link key={to} to={to} isCurrent={to === pathname}>
            {name}
          </Link>
        ))}
      </nav>
      <div className="stack settings-page">{renderRoute(routes, pathname) ?? <NotFoundPage />}</div>
    </div>
  );
}

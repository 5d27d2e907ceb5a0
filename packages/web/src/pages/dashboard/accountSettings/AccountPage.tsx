// The settings of the account: one page for each, with navigation between them.

import * as texts from '#texts/accounts/account';
import { type Routes, renderRoute, useCurrentUrl } from '../../../routing.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Link } from '../../../ui/text/Link.js';
import { NotFoundPage } from '../../NotFoundPage.js';
import * as styles from './AccountPage.module.css';
import { DataPage } from './DataPage.js';
import { EmailPage } from './EmailPage.js';
import { PasswordPage } from './PasswordPage.js';
import { ProfilePage } from './ProfilePage.js';
import { SecondFactorPage } from './SecondFactorPage.js';
import { SessionsPage } from './SessionsPage.js';
import { TierPage } from './TierPage.js';

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
  ['/dashboard/account', texts.profile],
  ['/dashboard/account/email', texts.email],
  ['/dashboard/account/password', texts.password],
  ['/dashboard/account/second-factor', texts.secondFactor],
  ['/dashboard/account/sessions', texts.sessions],
  ['/dashboard/account/tier', texts.tier],
  ['/dashboard/account/data', texts.data],
] as const;

export function AccountPage() {
  const { pathname } = useCurrentUrl();
  return (
    <div className={styles.settings}>
      <nav className={styles.nav} aria-label={texts.settings}>
        {links.map(([to, name]) => (
          <Link key={to} to={to} isCurrent={to === pathname}>
            {name}
          </Link>
        ))}
      </nav>
      <div className={basics.stack}>{renderRoute(routes, pathname) ?? <NotFoundPage />}</div>
    </div>
  );
}

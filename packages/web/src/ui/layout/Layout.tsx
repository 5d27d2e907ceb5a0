// Header, footer and connection status around every page.

import { type ReactNode, useEffect, useRef } from 'preact/compat';
import * as texts from '#texts/site/layout';
import iconUrl from '../../icon.svg';
import { isServiceUnreachable } from '../../serviceStatus.js';
import { useValidToken } from '../../session.js';
import { useStore } from '../../store.js';
import { FlashNotice } from '../feedback/FlashNotice.js';
import { LiveRegion } from '../feedback/LiveRegion.js';
import { buttonClass } from '../form/Button.js';
import { Icon } from '../text/Icon.js';
import { Link } from '../text/Link.js';
import * as styles from './Layout.module.css';
import { RegistrySummary } from './RegistrySummary.js';
import { ThemeSwitch } from './ThemeSwitch.js';

export function Layout({ pathname, children }: { readonly pathname: string; readonly children: ReactNode }) {
  const isLoggedIn = useValidToken() !== undefined;
  const main = useFocusOnNewPage(pathname);
  return (
    <>
      <a className="skip" href="#main">
        {texts.skipToContent}
      </a>
      <header className="bar">
        <Link to="/" className="brand" isCurrent={false}>
          <img src={iconUrl} alt="" width="28" height="28" />
          {texts.siteName}
        </Link>
        <nav aria-label={texts.headerLabel} className={styles.nav}>
          <Link to="/">{texts.verify}</Link>
          <Link to="/gallery">{texts.gallery}</Link>
          <span className={styles.wide}>
            <Link to="/how-it-works">{texts.howItWorks}</Link>
          </span>
          {isLoggedIn ? (
            <Link to="/dashboard" isCurrent={pathname.startsWith('/dashboard')}>
              {texts.dashboard}
            </Link>
          ) : (
            <>
              <Link to="/login">{texts.logIn}</Link>
              <Link to="/signup" className={`${buttonClass('primary')} ${styles.signUp}`}>
                {texts.signUp}
              </Link>
            </>
          )}
        </nav>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <FlashNotice pathname={pathname} />
        {children}
      </main>
      <footer className="foot">
        <nav aria-label={texts.footerLabel}>
          <Link to="/how-it-works">{texts.howItWorks}</Link>
          <Link to="/faq">{texts.faq}</Link>
          {/* Documents of their own, outside this app. */}
          <a href="/docs">{texts.docs}</a>
          <a href="/api/reference">{texts.apiReference}</a>
          <a href="/contract">{texts.contract}</a>
          <Link to="/log">{texts.log}</Link>
          <a href="/.well-known/provenance-registry">{texts.identity}</a>
        </nav>
        <ThemeSwitch />
        <RegistrySummary />
        <p>{texts.fingerprintNote}</p>
      </footer>
      <ConnectionStatus />
      <LiveRegion />
    </>
  );
}

/** After navigation, keyboard and screen reader users continue at the start of the new page. */
function useFocusOnNewPage(pathname: string) {
  const main = useRef<HTMLElement>(null);
  const last = useRef(pathname);
  useEffect(() => {
    if (last.current === pathname) return;
    last.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return main;
}

function ConnectionStatus() {
  return (
    <div className={styles.connection} role="status">
      {useStore(isServiceUnreachable) && (
        <p data-tone="warn">
          <Icon name="warning" />
          {texts.notResponding}
        </p>
      )}
    </div>
  );
}

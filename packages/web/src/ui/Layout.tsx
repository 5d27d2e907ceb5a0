// Header, footer and connection status around every page.

import { type ReactNode, useEffect, useRef } from 'react';
import { isServiceUnreachable } from '../registryClient.js';
import { useValidToken } from '../session.js';
import { useStore } from '../store.js';
import { Icon } from './Icon.js';
import { Link } from './Link.js';
import { LiveRegion } from './LiveRegion.js';

export function Layout({ pathname, children }: { readonly pathname: string; readonly children: ReactNode }) {
  const isLoggedIn = useValidToken() !== undefined;
  const main = useFocusOnNewPage(pathname);
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="bar">
        <Link to="/" className="brand">
          Provenance registry
        </Link>
        <nav aria-label="Pages">
          <Link to="/">Verify</Link>
          <Link to="/gallery">Gallery</Link>
          {isLoggedIn ? (
            <Link to="/dashboard" isCurrent={pathname.startsWith('/dashboard')}>
              Dashboard
            </Link>
          ) : (
            <Link to="/login">Log in</Link>
          )}
        </nav>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
      <footer className="foot">
        <p>Equal fingerprints mean identical files. They say nothing about the content.</p>
        <nav aria-label="More">
          <a href="/api/reference">API reference</a>
          <a href="/c2pa/contract">Contract</a>
        </nav>
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
    <div className="connection-status" role="status">
      {useStore(isServiceUnreachable) && (
        <p className="tone-warn">
          <Icon name="warning" />
          The service is not responding.
        </p>
      )}
    </div>
  );
}

// The frame of every page.

import { type ReactNode, useEffect, useRef } from 'react';
import { useIsInterrupted } from '../connectionStatus.js';
import { Link } from '../routing.js';
import { useIsSessionOver, useToken } from '../session.js';
import { Icon } from './Icon.js';
import { LiveRegion } from './LiveRegion.js';

interface LayoutProps {
  /** The path of the page. */
  readonly place: string;
  readonly children: ReactNode;
}

export function Layout({ place, children }: LayoutProps) {
  const isSessionOver = useIsSessionOver();
  const isLoggedIn = useToken() !== undefined && !isSessionOver;
  const main = useFocusOnNewPage(place);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="bar">
        <Link to="/" className="brand">
          Provenance registry
        </Link>
        <nav aria-label="Pages">
          <Link to="/">Verify</Link>
          <Link to="/gallery">Gallery</Link>
          {isLoggedIn ? (
            <Link to="/dashboard" isHere={place.startsWith('/dashboard')}>
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
        <p>A fingerprint says that two files are the same. It says nothing about what is in them.</p>
        <nav aria-label="More">
          <a href="/api/reference">API reference</a>
          <a href="/c2pa/contract">Contract</a>
        </nav>
      </footer>
      <Interruption />
      <LiveRegion />
    </>
  );
}

/** After a link within the page, keyboards and screen readers go on where the new page begins. */
function useFocusOnNewPage(place: string) {
  const main = useRef<HTMLElement>(null);
  const last = useRef(place);
  useEffect(() => {
    if (last.current === place) return;
    last.current = place;
    main.current?.focus({ preventScroll: true });
  }, [place]);
  return main;
}

function Interruption() {
  const isInterrupted = useIsInterrupted();
  return (
    <div className="interruption" role="status">
      {isInterrupted && (
        <p className="tone-warn">
          <Icon name="warning" />
          The service does not answer at the moment.
        </p>
      )}
    </div>
  );
}

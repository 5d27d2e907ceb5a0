// Header, footer and connection status around every page.

import { registryFingerprint, shortFingerprint } from '@provenance-registry/core';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'preact/compat';
import { createPageClient, isServiceUnreachable } from '../registryClient.js';
import { useValidToken } from '../session.js';
import { useStore } from '../store.js';
import { FlashNotice } from './FlashNotice.js';
import { Icon } from './Icon.js';
import { Link } from './Link.js';
import { LiveRegion } from './LiveRegion.js';
import { useQuery } from './query.js';

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
            <>
              <Link to="/login">Log in</Link>
              <Link to="/signup">Sign up</Link>
            </>
          )}
        </nav>
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        <FlashNotice pathname={pathname} />
        {children}
      </main>
      <footer className="foot">
        <p>Equal fingerprints mean identical files. They say nothing about the content.</p>
        <nav aria-label="More">
          <a href="/api/reference">API reference</a>
          <a href="/c2pa/contract">Contract</a>
          <a href="/.well-known/provenance-registry">Identity</a>
        </nav>
        <RegistrySummary />
      </footer>
      <ConnectionStatus />
      <LiveRegion />
    </>
  );
}

/** Who this registry says that it is. Nothing is shown if that cannot be read: no page depends on it. */
function RegistrySummary() {
  const [client] = useState(() => createPageClient(() => undefined));
  const load = useCallback(
    async (signal: AbortSignal) => {
      const identity = await client.getRegistryIdentity({ signal });
      return { ...identity, fingerprint: shortFingerprint(registryFingerprint(identity)) };
    },
    [client],
  );
  const { value } = useQuery(load);
  if (!value) return null;
  const rows = { Registry: value.name, Chain: value.chainId, Contract: value.contract, Fingerprint: value.fingerprint };
  return (
    <section className="registry-summary" aria-label="This registry">
      <dl>
        {Object.entries(rows).map(
          ([label, shown]) =>
            shown !== undefined && (
              <div key={label}>
                <dt>{label}</dt>
                <dd>{shown}</dd>
              </div>
            ),
        )}
      </dl>
      <details>
        <summary>What to compare</summary>
        <p>
          The fingerprint stands for the chain, the contract and the root certificates of this registry. A page of the
          registry itself cannot prove it: compare it with one that the operator published elsewhere, in print or on
          another site. On the command line, <code>provenance trust add {value.url}</code> asks for that comparison and
          warns you if the registry changes later.
        </p>
      </details>
      <details>
        <summary>How to verify without this service</summary>
        <ol>
          <li>Compute the SHA-256 of the file with any tool.</li>
          <li>
            Ask any node of the chain {value.chainId} for <code>resolveByBindingDetailed</code> of that fingerprint at
            the contract {value.contract}. It returns the id of the manifest, the hash of the metadata and the time.
          </li>
          <li>
            Check the signed manifest with any C2PA validator. It is in the file <code>.c2pa</code> on the page of the
            Artifact, and inside signed copies.
          </li>
        </ol>
        <p>That does without this service only with a contract address and root certificates from another source.</p>
      </details>
    </section>
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

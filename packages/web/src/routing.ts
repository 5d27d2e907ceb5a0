// Routes, the current address, navigation and page titles.

import { type ReactNode, useEffect } from 'preact/compat';
import * as texts from '#texts/site/layout';
import { createStore, useStore } from './store.js';

/** The fingerprint in the query of the address that was opened, which the service was sent; null: there was none. */
export const sentFingerprint = hideFingerprint();
const currentAddress = createStore(location.href);
window.addEventListener('popstate', () => currentAddress.set(location.href));

/** Patterns of paths; the page gets the first group of its pattern. */
export type Routes = readonly (readonly [pattern: RegExp, render: (parameter: string) => ReactNode])[];

/** Undefined when no route matches. */
export function renderRoute(routes: Routes, pathname: string): ReactNode | undefined {
  for (const [pattern, render] of routes) {
    const match = pattern.exec(pathname);
    if (match) return render(match[1] ?? '');
  }
  return undefined;
}

export function useCurrentUrl(): URL {
  return new URL(useStore(currentAddress));
}

export function navigate(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else {
    history.pushState(null, '', to);
    scrollTo(0, 0);
  }
  // It names the page that the server rendered, and browsers share it instead of the address.
  document.querySelector('link[rel="canonical"]')?.remove();
  currentAddress.set(location.href);
}

/** Sets the title of the tab; undefined while it is not known yet. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return;
    document.title = title === '' ? texts.siteName : texts.pageTitle(title);
  }, [title]);
}

/**
 * Links of earlier versions have the fingerprint in the query. From here on it is in the fragment, which is not sent: no
 * further request, bookmark or copied link tells it.
 */
function hideFingerprint(): string | null {
  const url = new URL(location.href);
  const fingerprint = url.searchParams.get('fingerprint');
  if (url.pathname !== '/' || fingerprint === null) return null;
  url.searchParams.delete('fingerprint');
  if (url.hash === '') url.hash = new URLSearchParams({ fingerprint }).toString();
  history.replaceState(null, '', url);
  return fingerprint;
}

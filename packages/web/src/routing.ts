// The current address, navigation and page titles.

import { useEffect } from 'react';
import { createStore, useStore } from './store.js';

const currentAddress = createStore(location.href);
window.addEventListener('popstate', () => currentAddress.set(location.href));

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
    document.title = title === '' ? 'Provenance registry' : `${title} · Provenance registry`;
  }, [title]);
}

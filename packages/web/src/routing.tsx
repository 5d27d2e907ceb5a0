// Which page is shown: the address decides, and the browser's back and forward buttons work.

import { type MouseEvent, type ReactNode, useEffect, useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('popstate', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('popstate', listener);
  };
}

/** Path and query, as the address bar has them. */
export function useAddress(): URL {
  const address = useSyncExternalStore(subscribe, () => location.href);
  return new URL(address);
}

export function navigate(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', to);
  else {
    history.pushState(null, '', to);
    scrollTo(0, 0);
  }
  // It was that of the page which came from the server; browsers share what it says instead of the address.
  document.querySelector('link[rel="canonical"]')?.remove();
  tell();
}

interface LinkProps {
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  /** Whether it leads to where one is; by itself it compares the path. */
  readonly isHere?: boolean;
}

/** A link within the page. With a modifier key it is the browser's own. */
export function Link({ to, children, isHere = location.pathname === to, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} onClick={follow} aria-current={isHere ? 'page' : undefined} {...rest}>
      {children}
    </a>
  );
}

/** What the tab and the history show; undefined while it is not known yet. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title === undefined) return;
    document.title = title === '' ? 'Provenance registry' : `${title} · Provenance registry`;
  }, [title]);
}

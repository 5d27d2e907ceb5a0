// Where the user goes after logging in or signing up.

import { useEffect } from 'preact/compat';
import { navigate, useCurrentUrl } from '../../routing.js';
import { useValidToken } from '../../session.js';

const DEFAULT_PATH = '/dashboard';

/**
 * The address of the log-in or sign-up page that leads to `returnPath` afterwards. The fragment stays a fragment: it may
 * name a file, and browsers never send fragments.
 */
export function loginUrl(path: '/login' | '/signup', returnPath: string, { isSessionExpired = false } = {}): string {
  const { pathname, search, hash } = new URL(returnPath, location.origin);
  return `${path}?${isSessionExpired ? 'expired&' : ''}next=${encodeURIComponent(pathname + search)}${hash}`;
}

/** The return path of the current address; always on this site. Redirects there when the user is logged in. */
export function useReturnPath(): string {
  const returnPath = parseReturnPath(useCurrentUrl());
  // The dashboard would redirect an expired session back here.
  const isLoggedIn = useValidToken() !== undefined;
  useEffect(() => {
    if (isLoggedIn) navigate(returnPath, { replace: true });
  }, [isLoggedIn, returnPath]);
  return returnPath;
}

function parseReturnPath({ searchParams, hash }: URL): string {
  const next = searchParams.get('next') ?? DEFAULT_PATH;
  if (!URL.canParse(next, location.origin)) return DEFAULT_PATH;
  const { origin, pathname, search } = new URL(next, location.origin);
  return origin === location.origin ? pathname + search + hash : DEFAULT_PATH;
}

// The token of a mailed link. It is in the fragment, which browsers do not send, and leaves the address bar at once.

import { useLayoutEffect, useState } from 'preact/compat';
import { navigate, useCurrentUrl } from './routing.js';

/** Empty when the address has no token, also after a reload. */
export function useLinkToken(): string {
  const { pathname, search, hash } = useCurrentUrl();
  const [token, setToken] = useState(hash.slice(1));
  useLayoutEffect(() => {
    if (hash === '') return;
    // Another link may be opened in the same tab.
    setToken(hash.slice(1));
    navigate(pathname + search, { replace: true });
  }, [pathname, search, hash]);
  return token;
}

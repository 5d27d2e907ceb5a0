// Links within the site and to other sites.

import { createContext, type ReactNode, useContext } from 'preact/compat';
import { navigate } from '../../routing.js';

interface LinkProps {
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  /** Whether it leads to the current page. Default: the paths are equal. */
  readonly isCurrent?: boolean;
}

/** The address of the site, for links from outside of it: they open a tab, which is not told from where. */
export const SiteContext = createContext<string | undefined>(undefined);

/** Navigates without loading the document again. */
export function Link({ to, children, isCurrent = location.pathname === to, ...rest }: LinkProps) {
  const site = useContext(SiteContext);
  const follow = (event: MouseEvent) => {
    // With a modifier key the browser opens a tab or window.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  if (site !== undefined) {
    return (
      <a href={`${site}${to}`} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  }
  return (
    <a href={to} onClick={follow} aria-current={isCurrent ? 'page' : undefined} {...rest}>
      {children}
    </a>
  );
}

/** Addresses of other sites come from users: anything but http and https is shown as text. */
export function ExternalLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const isHttp = URL.canParse(href) && ['http:', 'https:'].includes(new URL(href).protocol);
  if (!isHttp) return children;
  return (
    <a href={href} rel="noreferrer">
      {children}
    </a>
  );
}

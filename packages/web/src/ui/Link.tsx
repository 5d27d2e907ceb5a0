// A link within the site, without loading the document again.

import type { MouseEvent, ReactNode } from 'react';
import { navigate } from '../routing.js';

interface LinkProps {
  readonly to: string;
  readonly children: ReactNode;
  readonly className?: string;
  /** Whether it leads to the current page. Default: the paths are equal. */
  readonly isCurrent?: boolean;
}

export function Link({ to, children, isCurrent = location.pathname === to, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    // With a modifier key the browser opens a tab or window.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} onClick={follow} aria-current={isCurrent ? 'page' : undefined} {...rest}>
      {children}
    </a>
  );
}

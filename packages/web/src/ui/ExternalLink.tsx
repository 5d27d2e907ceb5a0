// A link out of this page. Addresses come from others: what is not of the web is shown as text.

import type { ReactNode } from 'react';

export function WebLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  if (!isOfTheWeb(href)) return children;
  return (
    <a href={href} rel="noreferrer">
      {children}
    </a>
  );
}

function isOfTheWeb(href: string): boolean {
  return URL.canParse(href) && ['http:', 'https:'].includes(new URL(href).protocol);
}

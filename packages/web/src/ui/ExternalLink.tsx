// A link to another site. Addresses come from users: anything but http and https is shown as text.

import type { ReactNode } from 'react';

export function ExternalLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const isHttp = URL.canParse(href) && ['http:', 'https:'].includes(new URL(href).protocol);
  if (!isHttp) return children;
  return (
    <a href={href} rel="noreferrer">
      {children}
    </a>
  );
}

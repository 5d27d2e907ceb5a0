// An item of a list: a name, which may be a link, and details.

import type { ReactNode } from 'react';
import { Link } from '../../ui/Link.js';

interface ListItemProps {
  readonly name: string;
  readonly to?: string;
  readonly children: ReactNode;
}

export function ListItem({ name, to, children }: ListItemProps) {
  const text = <bdi>{name}</bdi>;
  return (
    <li className="list-item">
      {to === undefined ? (
        <span className="list-name">{text}</span>
      ) : (
        <Link to={to} className="list-name">
          {text}
        </Link>
      )}
      <span className="list-details">{children}</span>
    </li>
  );
}

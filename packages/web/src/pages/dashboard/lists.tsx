// Lists of the dashboard.

import type { Mark } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/lists';
import { Link } from '../../ui/Link.js';
import { MarkIdentityLine } from '../../ui/MarkIdentity.js';
import { Badge } from '../../ui/StatusBadge.js';

interface ListItemProps {
  readonly name: string;
  /** Makes the name a link. */
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

export function MarkList({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <ul className="list">
      {marks.map((mark) => (
        <ListItem key={mark.id} name={mark.name} to={`/dashboard/marks/${mark.id}`}>
          {mark.visibility === 'private' && <Badge tone="info" icon="lock" label={texts.privateMark} />}
          <MarkIdentityLine mark={mark} />
          <span>{mark.license.name}</span>
          {mark.organization && (
            <span>
              <bdi>{mark.organization.name}</bdi>
            </span>
          )}
        </ListItem>
      ))}
    </ul>
  );
}

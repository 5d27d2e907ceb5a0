// Lists of the dashboard.

import type { Mark } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/marks/lists';
import { Badge } from '../../ui/feedback/StatusBadge.js';
import { MarkIdentityLine } from '../../ui/mark/MarkIdentityLine.js';
import { Link } from '../../ui/text/Link.js';
import * as styles from './lists.module.css';

interface ListItemProps {
  readonly name: string;
  /** Makes the name a link. */
  readonly to?: string;
  readonly children: ReactNode;
}

export function ListItem({ name, to, children }: ListItemProps) {
  const text = <bdi>{name}</bdi>;
  return (
    <li className={styles.item}>
      {to === undefined ? (
        <span className={styles.name}>{text}</span>
      ) : (
        <Link to={to} className={styles.name}>
          {text}
        </Link>
      )}
      <span className={styles.details}>{children}</span>
    </li>
  );
}

export function MarkList({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <ul className={styles.list}>
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

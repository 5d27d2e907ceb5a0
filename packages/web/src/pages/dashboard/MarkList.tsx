// A list of Marks with links to their settings.

import type { Mark } from '@provenance-registry/core';
import { Icon } from '../../ui/Icon.js';
import { Link } from '../../ui/Link.js';

export function MarkList({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <ul className="list">
      {marks.map((mark) => (
        <li key={mark.id} className="list-item">
          <Link to={`/dashboard/marks/${mark.id}`} className="list-name">
            <bdi>{mark.name}</bdi>
          </Link>
          <span className="list-details">
            {mark.visibility === 'private' && (
              <span className="badge tone-info">
                <Icon name="lock" />
                Private
              </span>
            )}
            <span>{mark.license.name}</span>
            {mark.organization && (
              <span>
                <bdi>{mark.organization.name}</bdi>
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

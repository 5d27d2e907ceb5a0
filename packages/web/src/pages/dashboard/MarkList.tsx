// A list of Marks with links to their settings.

import type { Mark } from '@provenance-registry/core';
import { Badge } from '../../ui/StatusBadge.js';
import { ListItem } from './ListItem.js';

export function MarkList({ marks }: { readonly marks: readonly Mark[] }) {
  return (
    <ul className="list">
      {marks.map((mark) => (
        <ListItem key={mark.id} name={mark.name} to={`/dashboard/marks/${mark.id}`}>
          {mark.visibility === 'private' && <Badge tone="info" icon="lock" label="Private" />}
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

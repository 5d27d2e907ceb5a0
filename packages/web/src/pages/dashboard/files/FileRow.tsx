// One file in "My files": a checkbox, and a link to its page.

import type { Artifact } from '@provenance-registry/core';
import type { KeyboardEvent } from 'preact/compat';
import * as texts from '#texts/artifacts/files';
import { RandomartThumbnail } from '../../../ui/artifact/Randomart.js';
import { StatusBadge } from '../../../ui/feedback/StatusBadge.js';
import * as longListStyles from '../../../ui/list/LongList.module.css';
import { formatSize } from '../../../ui/text/format.js';
import { Icon } from '../../../ui/text/Icon.js';
import { Link } from '../../../ui/text/Link.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import * as styles from './FileRow.module.css';
import { nameOf } from './fileNames.js';
import type { Selection } from './useSelection.js';

interface FileRowProps {
  readonly artifact: Artifact;
  readonly isSelected: boolean;
  readonly onToggle: Selection['toggle'];
}

export function FileRow({ artifact, isSelected, onToggle }: FileRowProps) {
  const { fingerprint, metadata, createdAt, status, mark, contentVisibility, renditions } = artifact;
  const name = nameOf(artifact);
  return (
    <div className={styles.row} data-selected={isSelected || undefined}>
      <label className={styles.check}>
        <input
          type="checkbox"
          aria-label={texts.select(name)}
          checked={isSelected}
          onClick={(event) => onToggle(artifact, event.currentTarget.checked, event.shiftKey)}
          onKeyDown={moveFocus}
        />
      </label>
      <Link to={`/artifacts/${fingerprint}`} className={longListStyles.entry}>
        <RandomartThumbnail fingerprint={fingerprint} />
        <span className={longListStyles.text}>
          <span className={`${longListStyles.name} ${styles.name}`}>
            <bdi>{name}</bdi>
          </span>
          <span className={`${longListStyles.details} ${styles.details}`}>
            <Timestamp at={createdAt} />
            {metadata.size !== undefined && metadata.size !== null && <> · {formatSize(metadata.size)}</>}
            {'name' in mark && (
              <>
                {' '}
                · <bdi>{mark.name}</bdi>
              </>
            )}
            {renditions.length > 0 && <> · {texts.signedCopies(renditions.length)}</>}
            {contentVisibility === 'private' && (
              <>
                {' '}
                · <Icon name="lock" /> {texts.privateDetails}
              </>
            )}
          </span>
        </span>
        <StatusBadge status={status} />
      </Link>
    </div>
  );
}

/** The arrow keys move between checkboxes, as in other lists. */
function moveFocus(event: KeyboardEvent<HTMLInputElement>): void {
  const isDown = event.key === 'ArrowDown';
  if (!isDown && event.key !== 'ArrowUp') return;
  const row = event.currentTarget.closest('li');
  const next = isDown ? row?.nextElementSibling : row?.previousElementSibling;
  event.preventDefault();
  next?.querySelector('input')?.focus();
}

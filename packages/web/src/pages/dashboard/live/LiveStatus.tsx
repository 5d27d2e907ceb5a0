// Says when the page does not follow the feed of events, and offers to load it again.

import * as texts from '#texts/events/live';
import { refreshPage, streamStatus } from '../../../eventStream.js';
import { isServiceUnreachable } from '../../../serviceStatus.js';
import { useStore } from '../../../store.js';
import { Button } from '../../../ui/form/Button.js';
import * as layoutStyles from '../../../ui/layout/Layout.module.css';
import { Icon } from '../../../ui/text/Icon.js';

export function LiveStatus() {
  const status = useStore(streamStatus);
  // The layout says already that nothing works.
  const isUnreachable = useStore(isServiceUnreachable);
  const message = !isUnreachable && messages[status];
  return (
    <div className={layoutStyles.connection} role="status">
      {message && (
        <p data-tone="warn">
          <Icon name="warning" />
          <span>{message}</span>
          <Button onClick={refreshPage}>{texts.refresh}</Button>
        </p>
      )}
    </div>
  );
}

const messages = {
  closed: undefined,
  connecting: undefined,
  live: undefined,
  interrupted: texts.interrupted,
  refused: texts.refused,
};

// Marks whose owner has closed their account.

import * as texts from '#texts/site/ui';
import { Notice } from '../feedback/Notice.js';

export function ClosedMarkNotice() {
  return (
    <Notice title={texts.closedMark.title}>
      <p>{texts.closedMark.text}</p>
    </Notice>
  );
}

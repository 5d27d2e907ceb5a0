// Marks whose owner has closed their account.

import * as texts from '#texts/ui';
import { Notice } from './Notice.js';

export function ClosedMarkNotice() {
  return (
    <Notice title={texts.closedMark.title}>
      <p>{texts.closedMark.text}</p>
    </Notice>
  );
}

// Marks whose owner has closed their account.

import { Notice } from './Notice.js';
import { Badge } from './StatusBadge.js';

const SENTENCE = "Its owner's account is closed. No files can be registered under it.";

export function ClosedMarkBadge() {
  return <Badge tone="info" icon="lock" label="Closed" sentence={SENTENCE} />;
}

export function ClosedMarkNotice() {
  return (
    <Notice title="This Mark is closed">
      <p>{SENTENCE} Registered files are not affected.</p>
    </Notice>
  );
}

// Marks whose owner has closed their account.

import { Notice } from './Notice.js';

export function ClosedMarkNotice() {
  return (
    <Notice title="This Mark is closed">
      <p>Its owner's account is closed. No files can be registered under it. Registered files are not affected.</p>
    </Notice>
  );
}

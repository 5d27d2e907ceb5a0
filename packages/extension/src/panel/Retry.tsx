// A check that failed: the reason, and a button that starts it again.

import { RetryButton } from '@provenance-registry/web/ui/lookup/FindingRow.js';
import { describeError } from '../describeError.js';

export function Retry({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  return (
    <>
      <p>{describeError(error)}</p>
      <RetryButton onRetry={onRetry} />
    </>
  );
}

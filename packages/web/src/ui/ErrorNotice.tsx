// An error, with a button to try again.

import { describeError } from '../errorMessages.js';
import { Button } from './Button.js';
import { Notice } from './Notice.js';

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  readonly isBusy?: boolean | undefined;
}

export function ErrorNotice({ error, onRetry, isBusy }: ErrorNoticeProps) {
  const retry = onRetry && (
    <Button onClick={onRetry} isBusy={isBusy}>
      {isBusy ? 'Trying again …' : 'Try again'}
    </Button>
  );
  return (
    <Notice tone="bad" isAlert actions={retry}>
      <p>{describeError(error)}</p>
    </Notice>
  );
}

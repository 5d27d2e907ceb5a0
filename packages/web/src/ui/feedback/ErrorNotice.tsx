// An error, with a button to try again. Renders nothing without an error.

import * as texts from '#texts/site/ui';
import { describeError, type ErrorMessages } from '../../errorMessages.js';
import { Button } from '../form/Button.js';
import { Notice } from './Notice.js';

interface ErrorNoticeProps {
  readonly error: unknown;
  /** Messages for error codes that mean something specific here. */
  readonly messages?: ErrorMessages | undefined;
  readonly onRetry?: (() => void) | undefined;
  readonly isBusy?: boolean | undefined;
}

export function ErrorNotice({ error, messages, onRetry, isBusy }: ErrorNoticeProps) {
  if (error === undefined) return null;
  const retry = onRetry && (
    <Button onClick={onRetry} isBusy={isBusy}>
      {isBusy ? texts.tryingAgain : texts.tryAgain}
    </Button>
  );
  return (
    <Notice tone="bad" isAlert actions={retry}>
      <p>{describeError(error, messages)}</p>
    </Notice>
  );
}

// The secret of a webhook, which is shown once.

import type { NewWebhook } from '@provenance-registry/core';
import * as texts from '#texts/webhooks';
import { Button } from '../../../ui/Button.js';
import { CopyButton } from '../../../ui/CopyButton.js';
import { Notice } from '../../../ui/Notice.js';
import { Timestamp } from '../../../ui/Timestamp.js';

/** A page of the documentation. */
export const GUIDE = '/docs/webhooks';

interface NewSecretNoticeProps {
  readonly webhook: NewWebhook;
  readonly onDone: () => void;
}

export function NewSecretNotice({ webhook: { secret, previousSecretUntil }, onDone }: NewSecretNoticeProps) {
  const actions = (
    <>
      <CopyButton text={secret} what={texts.secret} />
      <Button onClick={onDone}>{texts.hasSaved}</Button>
    </>
  );
  return (
    <Notice tone="good" isAlert title={texts.newSecretTitle} actions={actions}>
      <p>{texts.newSecretHint}</p>
      <p>
        <code className="secret">{secret}</code>
      </p>
      <p>{texts.verifyHint(<a href={`${GUIDE}#verify`}>{texts.verifyGuide}</a>)}</p>
      {previousSecretUntil !== null && <p>{texts.bothSign(<Timestamp at={previousSecretUntil} />)}</p>}
    </Notice>
  );
}

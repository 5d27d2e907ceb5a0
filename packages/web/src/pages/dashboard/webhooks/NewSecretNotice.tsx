// The secret of a webhook, which is shown once.

import type { NewWebhook } from '@provenance-registry/core';
import * as texts from '#texts/events/webhooks';
import { Notice } from '../../../ui/feedback/Notice.js';
import { Button } from '../../../ui/form/Button.js';
import { CopyButton } from '../../../ui/text/CopyButton.js';
import { Secret } from '../../../ui/text/Secret.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';

/** A page of the documentation. */
export const GUIDE = '/docs/events#webhooks';

interface NewSecretNoticeProps {
  readonly webhook: NewWebhook;
  readonly onDone: () => void;
}

export function NewSecretNotice({ webhook: { secret, previousSecretUntil, status }, onDone }: NewSecretNoticeProps) {
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
        <Secret>{secret}</Secret>
      </p>
      <p>{texts.verifyHint(<a href={`${GUIDE}#verify`}>{texts.verifyGuide}</a>)}</p>
      {status === 'unverified' && <p>{texts.challengeHint}</p>}
      {previousSecretUntil !== null && <p>{texts.bothSign(<Timestamp at={previousSecretUntil} />)}</p>}
    </Notice>
  );
}

// What the two sides of an open claim can do about it. Everything that they write is public and permanent.

import { type Claim, countCharacters, isPlainText, MAX_CLAIM_TEXT } from '@provenance-registry/core';
import { type ReactNode, useState } from 'preact/compat';
import * as texts from '#texts/claims/claims';
import * as uiTexts from '#texts/site/ui';
import { quoteService } from '../../errorMessages.js';
import { useRegistryClient } from '../../registryClient.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { Button } from '../../ui/form/Button.js';
import { Dialog } from '../../ui/form/Dialog.js';
import { Form, TextAreaField, type Validator } from '../../ui/form/Form.js';
import * as basics from '../../ui/layout/basics.module.css';

/** The claimant, or the admin of the contested Mark. */
export type ClaimSide = 'claimant' | 'admin';

interface ClaimActionsProps {
  readonly claim: Claim;
  readonly side: ClaimSide;
  readonly onChanged: (claim: Claim) => void;
}

type ActionName = 'answer' | 'withdraw' | 'concede';

export function ClaimActions({ claim, side, onChanged }: ClaimActionsProps) {
  const client = useRegistryClient();
  const [asking, setAsking] = useState<ActionName>();
  const { id: claimId, mark } = claim;
  const close = () => setAsking(undefined);
  const finish = (message: string) => (changed: Claim) => {
    close();
    announce(message);
    onChanged(changed);
  };
  const optional = (text: string) => ({ claimId, ...(text !== '' && { text }) });
  return (
    <div className={basics.row}>
      {side === 'admin' && <Button onClick={() => setAsking('answer')}>{texts.answer.button}</Button>}
      {side === 'admin' && mark && <Button onClick={() => setAsking('concede')}>{texts.concede.button}</Button>}
      {side === 'claimant' && <Button onClick={() => setAsking('withdraw')}>{texts.withdraw.button}</Button>}
      {asking === 'answer' && (
        <EntryDialog
          title={texts.answer.title}
          label={texts.answer.label}
          action={texts.answer.action}
          isRequired
          submit={(text) => client.answerClaim({ claimId, text }).then(finish(texts.answer.done))}
          onClose={close}
        >
          <p>{texts.answer.text}</p>
        </EntryDialog>
      )}
      {asking === 'withdraw' && (
        <EntryDialog
          title={texts.withdraw.title}
          label={texts.withdraw.label}
          action={texts.withdraw.action}
          submit={(text) => client.withdrawClaim(optional(text)).then(finish(texts.withdraw.done))}
          onClose={close}
        >
          <p>{texts.withdraw.text}</p>
        </EntryDialog>
      )}
      {asking === 'concede' && mark && (
        <EntryDialog
          title={texts.concede.title}
          label={texts.concede.label}
          action={texts.concede.action}
          submit={(text) => client.concedeClaim(optional(text)).then(finish(texts.concede.done))}
          onClose={close}
        >
          <p>{texts.concede.text(<bdi>{mark.name}</bdi>)}</p>
        </EntryDialog>
      )}
    </div>
  );
}

interface EntryDialogProps {
  readonly title: string;
  readonly label: string;
  readonly action: string;
  readonly isRequired?: boolean;
  readonly submit: (text: string) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function EntryDialog({ title, label, action, isRequired = false, submit, onClose, children }: EntryDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <Form
        validators={{ text: isRequired ? validateClaimText : validateOptionalText }}
        submit={({ text }) => submit(text.trim())}
        errorMessages={{ BAD_REQUEST: quoteService, CONFLICT: quoteService, FORBIDDEN: quoteService }}
        action={action}
        busyAction={uiTexts.pleaseWait}
        otherActions={<Button onClick={onClose}>{uiTexts.cancel}</Button>}
      >
        <TextAreaField name="text" label={label} isFirst isProse />
      </Form>
    </Dialog>
  );
}

export const validateClaimText: Validator = (text) =>
  text.trim() === '' ? texts.enterText : validateOptionalText(text);

const validateOptionalText: Validator = (text) => {
  if (countCharacters(text.trim()) > MAX_CLAIM_TEXT) return texts.tooLong(MAX_CLAIM_TEXT);
  return text.trim() === '' || isPlainText(text) ? undefined : texts.hasInvisible;
};

// What the two sides of an open claim can do about it. Everything that they write is public and permanent.

import { type Claim, countCharacters, isPlainText, MAX_CLAIM_TEXT } from '@provenance-registry/core';
import { type ReactNode, useState } from 'preact/compat';
import { quoteService } from '../../errorMessages.js';
import { useRegistryClient } from '../../registryClient.js';
import { Button } from '../../ui/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { Form, TextAreaField, type Validator } from '../../ui/Form.js';
import { announce } from '../../ui/LiveRegion.js';

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
    <div className="row">
      {side === 'admin' && <Button onClick={() => setAsking('answer')}>Answer</Button>}
      {side === 'admin' && mark && <Button onClick={() => setAsking('concede')}>Concede</Button>}
      {side === 'claimant' && <Button onClick={() => setAsking('withdraw')}>Withdraw claim</Button>}
      {asking === 'answer' && (
        <EntryDialog
          title="Answer this claim"
          label="Your answer"
          action="Publish answer"
          isRequired
          submit={(text) => client.answerClaim({ claimId, text }).then(finish('The answer is published.'))}
          onClose={close}
        >
          <p>Your answer is public and cannot be changed or removed. The claim stays open.</p>
        </EntryDialog>
      )}
      {asking === 'withdraw' && (
        <EntryDialog
          title="Withdraw this claim?"
          label="Reason (optional)"
          action="Withdraw claim"
          submit={(text) => client.withdrawClaim(optional(text)).then(finish('The claim is withdrawn.'))}
          onClose={close}
        >
          <p>The claim stays visible as withdrawn, and no longer counts. It cannot be opened again.</p>
        </EntryDialog>
      )}
      {asking === 'concede' && mark && (
        <EntryDialog
          title="Concede this file?"
          label="In your words (optional)"
          action="Concede file"
          submit={(text) => client.concedeClaim(optional(text)).then(finish('The file is conceded.'))}
          onClose={close}
        >
          <p>
            The file is shown as conceded to the Mark <bdi>{mark.name}</bdi> from then on. It stays registered under
            your Mark. This cannot be undone.
          </p>
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
        busyAction="Please wait …"
        otherActions={<Button onClick={onClose}>Cancel</Button>}
      >
        <TextAreaField name="text" label={label} isFirst isProse />
      </Form>
    </Dialog>
  );
}

export const validateClaimText: Validator = (text) =>
  text.trim() === '' ? 'Enter a text.' : validateOptionalText(text);

const validateOptionalText: Validator = (text) => {
  if (countCharacters(text.trim()) > MAX_CLAIM_TEXT) return `Use at most ${MAX_CLAIM_TEXT} characters.`;
  return text.trim() === '' || isPlainText(text) ? undefined : 'The text contains invisible characters.';
};

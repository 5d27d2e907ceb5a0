// Invitations to an organization or a Mark: created, shown once with their link, listed and withdrawn.

import type { Invitation, NewInvitation } from '@provenance-registry/core';
import { type ReactNode, useState } from 'preact/compat';
import * as texts from '#texts/organizations/invitations';
import { type ErrorMessages, quoteService } from '../../../errorMessages.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { Notice } from '../../../ui/feedback/Notice.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmButton } from '../../../ui/form/Dialog.js';
import * as fieldStyles from '../../../ui/form/Field.module.css';
import { Form, TextField } from '../../../ui/form/Form.js';
import { CopyButton } from '../../../ui/text/CopyButton.js';
import { Secret } from '../../../ui/text/Secret.js';
import { Timestamp } from '../../../ui/text/Timestamp.js';
import { acceptAny, validateOptionalEmail } from '../../../validators.js';
import { useAccount } from '../account.js';
import { ListItem } from '../lists.js';
import * as listsStyles from '../lists.module.css';

interface InvitationsProps {
  /** The open ones. */
  readonly invitations: readonly Invitation[];
  readonly invite: (invitation: { email?: string; isAdmin: boolean }) => Promise<NewInvitation>;
  readonly withdraw: (invitationId: string) => Promise<void>;
  readonly onChange: () => void;
  /** Why no one can be invited now. */
  readonly unavailable?: ReactNode;
  /** The label of a choice to invite as an admin. */
  readonly adminLabel?: string;
  readonly errorMessages?: ErrorMessages;
}

export function Invitations(props: InvitationsProps) {
  const { invitations, invite, withdraw, onChange, unavailable, adminLabel, errorMessages } = props;
  const { sendsMail } = useAccount().tiers;
  const [created, setCreated] = useState<NewInvitation>();
  const submit = async ({ email, isAdmin }: { email: string; isAdmin: string }) => {
    const address = email.trim();
    setCreated(await invite({ isAdmin: isAdmin === 'on', ...(address !== '' && { email: address }) }));
    onChange();
  };
  return (
    <>
      {invitations.length > 0 && (
        <>
          <h3>{texts.openTitle}</h3>
          <ul className={listsStyles.list}>
            {invitations.map((invitation) => (
              <OpenInvitation
                key={invitation.id}
                invitation={invitation}
                withdraw={async () => {
                  await withdraw(invitation.id);
                  if (created?.id === invitation.id) setCreated(undefined);
                  announce(texts.withdrawn);
                  onChange();
                }}
              />
            ))}
          </ul>
        </>
      )}
      {created && <NewInvitationNotice invitation={created} onDone={() => setCreated(undefined)} />}
      {unavailable ?? (
        <Form
          validators={{ email: validateOptionalEmail, isAdmin: acceptAny }}
          submit={submit}
          // With mail, both have several reasons.
          errorMessages={{ FORBIDDEN: quoteService, TIER_RESTRICTION: quoteService, ...errorMessages }}
          action={texts.create}
          busyAction={texts.creating}
          kind="plain"
          resetOnSuccess
        >
          <TextField
            name="email"
            type="email"
            label={texts.emailLabel}
            hint={sendsMail ? texts.mailHint : texts.linkHint}
            autoComplete="off"
          />
          {adminLabel !== undefined && (
            <label className={fieldStyles.checkbox}>
              <input type="checkbox" name="isAdmin" /> {adminLabel}
            </label>
          )}
        </Form>
      )}
    </>
  );
}

function OpenInvitation({ invitation, withdraw }: { invitation: Invitation; withdraw: () => Promise<void> }) {
  const { email, isAdmin, requiresEmail, expiresAt } = invitation;
  return (
    <ListItem name={email ?? texts.anyone}>
      {isAdmin && <span>{texts.admin}</span>}
      {requiresEmail && <span>{texts.mailed}</span>}
      <span>{texts.expiresAt(<Timestamp at={expiresAt} />)}</span>
      <ConfirmButton
        verb={texts.withdraw}
        name={email === null ? texts.invitationLink : texts.invitationFor(email)}
        action={texts.withdrawInvitation}
        work={withdraw}
        errorMessages={{ NOT_FOUND: texts.isGone }}
      >
        <p>{texts.withdrawConsequences}</p>
      </ConfirmButton>
    </ListItem>
  );
}

function NewInvitationNotice({ invitation, onDone }: { invitation: NewInvitation; onDone: () => void }) {
  const { url, requiresEmail, expiresAt } = invitation;
  const actions = (
    <>
      <CopyButton text={url} what={texts.invitationLink} />
      <Button onClick={onDone}>{texts.done}</Button>
    </>
  );
  return (
    <Notice tone="good" isAlert title={requiresEmail ? texts.sentTitle : texts.createdTitle} actions={actions}>
      <p>{describeDelivery(invitation)}</p>
      <p>{texts.worksUntil(<Timestamp at={expiresAt} />)}</p>
      <p>
        <Secret>{url}</Secret>
      </p>
    </Notice>
  );
}

function describeDelivery({ email, requiresEmail }: NewInvitation): ReactNode {
  if (email === null) return texts.sendYourself;
  return requiresEmail ? texts.isSending(<bdi>{email}</bdi>) : texts.sendYourselfTo(<bdi>{email}</bdi>);
}

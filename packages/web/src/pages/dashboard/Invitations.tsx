// Invitations to an organization or a Mark: created, shown once with their link, listed and withdrawn.

import type { Invitation, NewInvitation } from '@provenance-registry/core';
import { type ReactNode, useState } from 'preact/compat';
import type { ErrorMessages } from '../../errorMessages.js';
import { Button } from '../../ui/Button.js';
import { CopyButton } from '../../ui/CopyButton.js';
import { ConfirmButton } from '../../ui/Dialog.js';
import { Form, TextField } from '../../ui/Form.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { acceptAny, validateOptionalEmail } from '../../validators.js';
import { useAccount } from './account.js';
import { ListItem } from './lists.js';

const MAIL_HINT =
  'With an address, the link is mailed to it, and only an account with that address can accept the invitation. ' +
  'Without one, you get a link for anyone to use once.';
const LINK_HINT =
  'For your own list of invitations: this service does not send mail. You get a link to pass on, which anyone can use ' +
  'once.';

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
          <h3>Open invitations</h3>
          <ul className="list">
            {invitations.map((invitation) => (
              <OpenInvitation
                key={invitation.id}
                invitation={invitation}
                withdraw={async () => {
                  await withdraw(invitation.id);
                  if (created?.id === invitation.id) setCreated(undefined);
                  announce('Invitation withdrawn.');
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
          errorMessages={errorMessages}
          action="Create invitation"
          busyAction="Creating …"
          kind="plain"
          resetOnSuccess
        >
          <TextField
            name="email"
            type="email"
            label="Invite by email address (optional)"
            hint={sendsMail ? MAIL_HINT : LINK_HINT}
            autoComplete="off"
          />
          {adminLabel !== undefined && (
            <label className="checkbox">
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
    <ListItem name={email ?? 'Anyone with the link'}>
      {isAdmin && <span>Admin</span>}
      {requiresEmail && <span>Mailed</span>}
      <span>
        expires <Timestamp at={expiresAt} />
      </span>
      <ConfirmButton
        verb="Withdraw"
        name={email === null ? 'invitation link' : `invitation for ${email}`}
        action="Withdraw invitation"
        work={withdraw}
        errorMessages={{ NOT_FOUND: 'This invitation was accepted or declined, or it has expired. Reload the page.' }}
      >
        <p>Its link stops working immediately.</p>
      </ConfirmButton>
    </ListItem>
  );
}

function NewInvitationNotice({ invitation, onDone }: { invitation: NewInvitation; onDone: () => void }) {
  const { url, email, requiresEmail, expiresAt } = invitation;
  const actions = (
    <>
      <CopyButton text={url} what="invitation link" />
      <Button onClick={onDone}>Done</Button>
    </>
  );
  return (
    <Notice tone="good" isAlert title={requiresEmail ? 'Invitation sent' : 'Invitation created'} actions={actions}>
      {requiresEmail ? (
        <p>
          We are sending the link to <bdi>{email}</bdi>. Only an account with this verified address can accept it.
        </p>
      ) : (
        <p>
          {email === null ? (
            'Send this link to the person that you invite.'
          ) : (
            <>
              This service does not send mail. Send this link to <bdi>{email}</bdi> yourself.
            </>
          )}{' '}
          Anyone with the link can accept the invitation.
        </p>
      )}
      <p>
        The link works once, until <Timestamp at={expiresAt} />. It cannot be shown again.
      </p>
      <p>
        <code className="secret">{url}</code>
      </p>
    </Notice>
  );
}

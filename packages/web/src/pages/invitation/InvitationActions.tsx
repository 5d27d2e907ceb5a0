// What an invitation is for, and the buttons to accept or decline it.

import type { RegistryClient } from '@provenance-registry/client';
import type { InvitationPreview } from '@provenance-registry/core';
import { Button } from '../../ui/Button.js';
import { ConfirmButton } from '../../ui/Dialog.js';
import { ErrorNotice } from '../../ui/ErrorNotice.js';
import { Timestamp } from '../../ui/Timestamp.js';
import { useAction } from '../../ui/useAction.js';

const goneMessage = 'This invitation is no longer valid. It was used, declined or withdrawn, or it has expired.';
const addressMessage = 'Only an account with the verified address of this invitation can do this.';

export function InvitationText({ invitation }: { readonly invitation: InvitationPreview }) {
  const { invitedBy, organization, mark, isAdmin, expiresAt } = invitation;
  return (
    <>
      <p>
        <bdi>{invitedBy.name}</bdi> invites you to join {organization ? 'the organization' : 'the Mark'}{' '}
        <strong>
          <bdi>{(organization ?? mark)?.name}</bdi>
        </strong>
        {isAdmin && ' as an admin'}.
      </p>
      <p className="quiet">
        {organization
          ? `You can then register files under its Marks${isAdmin ? ', create Marks for it and see its history' : ''}. `
          : 'You can then register files under this Mark. '}
        The invitation expires on <Timestamp at={expiresAt} />.
      </p>
    </>
  );
}

interface InvitationActionsProps {
  readonly client: RegistryClient;
  readonly token: string;
  readonly invitation: InvitationPreview;
  /** `path` is the page of the organization or Mark. */
  readonly onAccepted: (path: string, message: string) => void;
  readonly onDeclined: (message: string) => void;
}

export function InvitationActions({ client, token, invitation, onAccepted, onDeclined }: InvitationActionsProps) {
  const target = invitation.organization ?? invitation.mark;
  const name = target?.name ?? '';
  const {
    isBusy,
    error,
    run: accept,
  } = useAction(async () => {
    const { organization, mark } = await client.acceptInvitation({ token });
    const path = organization ? `/dashboard/organizations/${organization.id}` : `/dashboard/marks/${mark?.id}`;
    onAccepted(path, `You have joined ${name}.`);
  });
  const decline = async () => {
    await client.declineInvitation({ token });
    onDeclined('Invitation declined.');
  };
  const acceptErrors = {
    NOT_FOUND: goneMessage,
    FORBIDDEN: addressMessage,
    CONFLICT: `You are already a member of ${name}.`,
    TIER_LIMIT_REACHED: 'The organization has reached the member limit of its tier. Ask its owner.',
    TIER_RESTRICTION: 'The organization is frozen: members cannot be added. Ask its owner.',
  };
  return (
    <>
      <Button kind="primary" isBusy={isBusy} aria-label={`Accept invitation to ${name}`} onClick={() => accept()}>
        {isBusy ? 'Accepting …' : 'Accept'}
      </Button>
      <ConfirmButton
        verb="Decline"
        name={`invitation to ${name}`}
        action="Decline invitation"
        work={decline}
        errorMessages={{ NOT_FOUND: goneMessage, FORBIDDEN: addressMessage }}
      >
        <p>Its link stops working. To join later you need a new invitation.</p>
      </ConfirmButton>
      <ErrorNotice error={error} messages={acceptErrors} />
    </>
  );
}

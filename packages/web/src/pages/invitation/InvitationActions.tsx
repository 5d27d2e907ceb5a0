// What an invitation is for, and the buttons to accept or decline it.

import type { RegistryClient } from '@provenance-registry/client';
import type { InvitationPreview } from '@provenance-registry/core';
import * as texts from '#texts/organizations/invitation';
import { ErrorNotice } from '../../ui/feedback/ErrorNotice.js';
import { Button } from '../../ui/form/Button.js';
import { ConfirmButton } from '../../ui/form/Dialog.js';
import { useAction } from '../../ui/form/useAction.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Timestamp } from '../../ui/text/Timestamp.js';

export function InvitationText({ invitation }: { readonly invitation: InvitationPreview }) {
  const { invitedBy, organization, mark, isAdmin, expiresAt } = invitation;
  const inviter = <bdi>{invitedBy.name}</bdi>;
  const target = (
    <strong>
      <bdi>{(organization ?? mark)?.name}</bdi>
    </strong>
  );
  const organizationRights = isAdmin ? texts.rightsAsAdmin : texts.rightsAsMember;
  return (
    <>
      <p>{organization ? texts.toOrganization(inviter, target, isAdmin) : texts.toMark(inviter, target)}</p>
      <p className={basics.quiet}>
        {organization ? organizationRights : texts.rightsUnderMark} {texts.expires(<Timestamp at={expiresAt} />)}
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
    onAccepted(path, texts.joined(name));
  });
  const decline = async () => {
    await client.declineInvitation({ token });
    onDeclined(texts.declined);
  };
  const acceptErrors = {
    NOT_FOUND: texts.isGone,
    FORBIDDEN: texts.isForAnotherAddress,
    CONFLICT: texts.alreadyMember(name),
    TIER_LIMIT_REACHED: texts.isFull,
    TIER_RESTRICTION: texts.isFrozen,
  };
  return (
    <>
      <Button kind="primary" isBusy={isBusy} aria-label={texts.acceptWhat(name)} onClick={() => accept()}>
        {isBusy ? texts.accepting : texts.accept}
      </Button>
      <ConfirmButton
        verb={texts.decline}
        name={texts.declineWhat(name)}
        action={texts.declineAction}
        work={decline}
        errorMessages={{ NOT_FOUND: texts.isGone, FORBIDDEN: texts.isForAnotherAddress }}
      >
        <p>{texts.declineEffect}</p>
      </ConfirmButton>
      <ErrorNotice error={error} messages={acceptErrors} />
    </>
  );
}

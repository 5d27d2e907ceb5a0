// Leaving an organization, and transferring it to a member.

import type { OrganizationMember } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import * as texts from '#texts/organizations/organizations';
import { navigate } from '../../../routing.js';
import { showFlash } from '../../../ui/feedback/FlashNotice.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmDialog } from '../../../ui/form/Dialog.js';
import { SelectField } from '../../../ui/form/Field.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { useAccount } from '../account.js';
import type { OrganizationProps } from './OrganizationMembers.js';

export function LeaveOrganization({ organization }: Pick<OrganizationProps, 'organization'>) {
  const { client, user, reload } = useAccount();
  const [isAsking, setIsAsking] = useState(false);
  const leave = async () => {
    await client.removeOrganizationMember({ organizationId: organization.id, userId: user.id });
    navigate('/dashboard/organizations');
    showFlash(texts.hasLeft(organization.name));
    reload();
  };
  return (
    <Card title={texts.leaveTitle}>
      <p className={basics.quiet}>{texts.leaveHint}</p>
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        {texts.leaveTitle}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={texts.leaveQuestion(<bdi>{organization.name}</bdi>)}
          action={texts.leaveTitle}
          work={leave}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.leaveConsequences}</p>
          <p>{texts.leaveKeeps}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

type TransferProps = OrganizationProps & { readonly members: readonly OrganizationMember[] };

export function TransferOrganization({ organization, members, onChange }: TransferProps) {
  const { client, reload } = useAccount();
  const [selectedId, setSelectedId] = useState<string>();
  const [isAsking, setIsAsking] = useState(false);
  const candidates = members.filter(({ role }) => role === 'member');
  const selected = candidates.find(({ id }) => id === selectedId) ?? candidates[0];
  if (!selected) {
    return (
      <Card title={texts.transferTitle}>
        <p>{texts.transferNeedsMember}</p>
      </Card>
    );
  }
  const transfer = async () => {
    const { status } = await client.transferOrganization({ organizationId: organization.id, userId: selected.id });
    // A freeze also removes the former owner.
    if (status === 'frozen') navigate('/dashboard/organizations');
    else onChange();
    showFlash(texts.isOwnerNow(selected.name, organization.name));
    reload();
  };
  return (
    <Card title={texts.transferTitle}>
      <p className={basics.quiet}>{texts.transferHint}</p>
      <SelectField label={texts.newOwner} options={candidates} value={selected.id} onSelect={setSelectedId} />
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        {texts.transferTitle}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={texts.transferQuestion(<bdi>{organization.name}</bdi>, <bdi>{selected.name}</bdi>)}
          action={texts.transferTitle}
          work={transfer}
          errorMessages={texts.transferErrors}
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.transferConsequences(<bdi>{selected.name}</bdi>)}</p>
          <p>{organization.tier === 'enterprise' ? texts.transferMayFreeze : texts.transferChangesTier}</p>
          <p>{texts.transferRevokesKeys}</p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

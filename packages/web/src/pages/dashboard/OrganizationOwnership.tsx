// Leaving an organization, and transferring it to a member.

import type { OrganizationMember } from '@provenance-registry/core';
import { useState } from 'preact/compat';
import { navigate } from '../../routing.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ConfirmDialog } from '../../ui/Dialog.js';
import { SelectField } from '../../ui/Field.js';
import { showFlash } from '../../ui/FlashNotice.js';
import { Link } from '../../ui/Link.js';
import { useAccount } from './account.js';
import type { OrganizationProps } from './OrganizationMembers.js';

export function LeaveOrganization({ organization }: Pick<OrganizationProps, 'organization'>) {
  const { client, user, reload } = useAccount();
  const [isAsking, setIsAsking] = useState(false);
  const leave = async () => {
    await client.removeOrganizationMember({ organizationId: organization.id, userId: user.id });
    navigate('/dashboard/organizations');
    showFlash(`You have left ${organization.name}.`);
    reload();
  };
  return (
    <Card title="Leave organization">
      <p className="quiet">You lose access to its Marks. Files that you registered stay registered.</p>
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        Leave organization
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={
            <>
              Leave <bdi>{organization.name}</bdi>?
            </>
          }
          action="Leave organization"
          work={leave}
          onClose={() => setIsAsking(false)}
        >
          <p>
            You lose all access to this organization immediately. Marks of the organization that you administer pass to
            its owner, and your open invitations to its Marks are withdrawn.
          </p>
          <p>Files that you registered are not affected. To come back you need a new invitation.</p>
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
      <Card title="Transfer organization">
        <p>An organization can be transferred to one of its members. Invite one first.</p>
      </Card>
    );
  }
  const transfer = async () => {
    const { status } = await client.transferOrganization({ organizationId: organization.id, userId: selected.id });
    // A freeze also removes the former owner.
    if (status === 'frozen') navigate('/dashboard/organizations');
    else onChange();
    showFlash(`${selected.name} is now the owner of ${organization.name}.`);
    reload();
  };
  return (
    <Card title="Transfer organization">
      <p className="quiet">Makes a member the owner. You stay as an admin member.</p>
      <SelectField label="New owner" options={candidates} value={selected.id} onSelect={setSelectedId} />
      <Button kind="danger" onClick={() => setIsAsking(true)}>
        Transfer organization
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={
            <>
              Transfer <bdi>{organization.name}</bdi> to <bdi>{selected.name}</bdi>?
            </>
          }
          action="Transfer organization"
          work={transfer}
          errorMessages={{
            TIER_LIMIT_REACHED: 'The tier of this member does not allow another organization.',
            NOT_FOUND: 'This user is no longer a member. Reload the page.',
          }}
          onClose={() => setIsAsking(false)}
        >
          <p>
            <bdi>{selected.name}</bdi> becomes the owner, and you stay as an admin member. Only the new owner can undo
            this.
          </p>
          {organization.tier === 'enterprise' ? (
            <p>
              <strong>The tier of the new owner applies immediately.</strong> If it is not Enterprise, the organization
              is frozen: all other members, including you, and purchased usage units are removed, open invitations are
              withdrawn, files cannot be registered, and API keys stop working.
            </p>
          ) : (
            <p>The tier of the new owner applies immediately, with its limits.</p>
          )}
          <p>
            While the organization is active, its API keys keep working, on behalf of the new owner. Revoke those that
            you no longer want first: <Link to={`/dashboard/keys?of=${organization.id}`}>API keys</Link>
          </p>
        </ConfirmDialog>
      )}
    </Card>
  );
}

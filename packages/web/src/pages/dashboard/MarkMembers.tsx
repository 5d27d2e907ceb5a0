// The members of a Mark, invitations to it, and its admin role.

import type { Mark, Person } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import { navigate } from '../../routing.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ConfirmButton, ConfirmDialog } from '../../ui/Dialog.js';
import { SelectField } from '../../ui/Field.js';
import { showFlash } from '../../ui/FlashNotice.js';
import { announce } from '../../ui/LiveRegion.js';
import { QueryView } from '../../ui/query.js';
import { type Account, useAccount, useAuthedQuery } from './account.js';
import { Invitations } from './Invitations.js';
import { ListItem } from './lists.js';

export interface MarkProps {
  readonly mark: Mark;
  readonly onChange: () => void;
}

export function MarkMembers({ mark, onChange }: MarkProps) {
  const { client, user, organizations } = useAccount();
  const isAdmin = mark.admin.id === user.id;
  const ownsOrganization = organizations.some(({ id, role }) => id === mark.organization?.id && role === 'owner');
  const remove = async ({ id, name }: Person) => {
    await client.removeMarkMember({ markId: mark.id, userId: id });
    announce(`${name} was removed from this Mark.`);
    onChange();
  };
  const leave = async () => {
    await client.removeMarkMember({ markId: mark.id, userId: user.id });
    navigate('/dashboard/marks');
    showFlash(`You have left the Mark ${mark.name}.`);
  };
  return (
    <Card title="Members">
      {!mark.isClosed && <p className="quiet">Members can register files under this Mark.</p>}
      <ul className="list">
        <ListItem name={mark.admin.name}>Admin</ListItem>
        {mark.owner && mark.owner.id !== mark.admin.id && <ListItem name={mark.owner.name}>Owner</ListItem>}
        {mark.organization && (
          <li className="list-item">
            <span className="list-name">
              All members of <bdi>{mark.organization.name}</bdi>
            </span>
          </li>
        )}
        {mark.members.map((member) => (
          <ListItem key={member.id} name={member.name}>
            <span>Member</span>
            {member.id === user.id ? (
              <ConfirmButton verb="Leave" name={mark.name} action="Leave Mark" work={leave}>
                <p>
                  You can no longer register files under this Mark. To come back you need a new invitation. Files that
                  you registered are not affected.
                </p>
              </ConfirmButton>
            ) : (
              (isAdmin || ownsOrganization) && (
                <ConfirmButton verb="Remove" name={member.name} action="Remove member" work={() => remove(member)}>
                  <p>
                    They can no longer register files under this Mark. Files that they registered under it are not
                    affected.
                  </p>
                </ConfirmButton>
              )
            )}
          </ListItem>
        ))}
      </ul>
      {isAdmin && !mark.isClosed && <MarkInvitations mark={mark} onChange={onChange} />}
    </Card>
  );
}

const inviteErrors = {
  TIER_RESTRICTION: 'The organization of this Mark is frozen: members cannot be invited.',
  CONFLICT: 'This Mark has too many open invitations. Withdraw one first.',
};

function MarkInvitations({ mark: { id: markId }, onChange }: MarkProps) {
  const { client } = useAccount();
  const load = useCallback(
    (signal: AbortSignal) => client.listMarkInvitations({ markId }, { signal }),
    [client, markId],
  );
  const query = useAuthedQuery(load);
  const reload = () => {
    query.reload();
    onChange();
  };
  return (
    <QueryView query={query} what="invitations">
      {(invitations) => (
        <Invitations
          invitations={invitations}
          invite={({ email }) => client.createMarkInvitation({ markId, ...(email !== undefined && { email }) })}
          withdraw={(invitationId) => client.withdrawMarkInvitation({ markId, invitationId })}
          onChange={reload}
          errorMessages={inviteErrors}
        />
      )}
    </QueryView>
  );
}

/** For the admin, and for the owner, who can also take the role. */
export function MarkAdminCard({ mark, onChange }: MarkProps) {
  const account = useAccount();
  const load = useCallback((signal: AbortSignal) => listCandidates(account, mark, signal), [account, mark]);
  const query = useAuthedQuery(load);
  if (!mayHandOver(account, mark) || mark.isClosed) return null;
  return (
    <Card title="Admin role">
      <p className="quiet">The admin edits this Mark, invites members and decides who can see its files.</p>
      <QueryView query={query} what="members">
        {(candidates) =>
          candidates.length === 0 ? (
            <p>The role can be handed over to a member. Invite one first.</p>
          ) : (
            <HandOver mark={mark} candidates={candidates} onChange={onChange} />
          )
        }
      </QueryView>
    </Card>
  );
}

function mayHandOver({ user, organizations }: Account, { admin, owner, organization }: Mark): boolean {
  if (admin.id === user.id || owner?.id === user.id) return true;
  return organizations.some(({ id, role }) => id === organization?.id && role === 'owner');
}

/** Members of the organization, or of a personal Mark with its owner; without the admin. */
async function listCandidates(account: Account, mark: Mark, signal: AbortSignal): Promise<Person[]> {
  if (!mayHandOver(account, mark)) return [];
  const { admin, owner, organization, members } = mark;
  const people = organization
    ? await account.client.listOrganizationMembers({ organizationId: organization.id }, { signal })
    : [...(owner ? [owner] : []), ...members];
  return people.filter(({ id }) => id !== admin.id);
}

function HandOver({ mark, candidates, onChange }: MarkProps & { readonly candidates: readonly Person[] }) {
  const { client, user } = useAccount();
  const [selectedId, setSelectedId] = useState<string>();
  const [isAsking, setIsAsking] = useState(false);
  const selected = candidates.find(({ id }) => id === selectedId) ?? candidates[0];
  if (!selected) return null;
  const isSelf = selected.id === user.id;
  const handOver = async () => {
    await client.putMarkAdmin({ markId: mark.id, userId: selected.id });
    announce(`${selected.name} is now the admin of this Mark.`);
    onChange();
  };
  return (
    <>
      <SelectField
        label="New admin"
        options={candidates.map(({ id, name }) => ({ id, name: id === user.id ? `${name} (you)` : name }))}
        value={selected.id}
        onSelect={setSelectedId}
      />
      <Button onClick={() => setIsAsking(true)}>{isSelf ? 'Take admin role' : 'Hand over admin role'}</Button>
      {isAsking && (
        <ConfirmDialog
          title={isSelf ? 'Take the admin role?' : 'Hand over the admin role?'}
          action={isSelf ? 'Take admin role' : 'Hand over admin role'}
          work={handOver}
          errorMessages={{ NOT_FOUND: 'This user is no longer a member. Reload the page.' }}
          onClose={() => setIsAsking(false)}
        >
          {isSelf ? (
            <p>
              <bdi>{mark.admin.name}</bdi> can then no longer edit this Mark or invite members.
            </p>
          ) : (
            <p>
              <bdi>{selected.name}</bdi> can then edit this Mark, invite and remove members, and decide who can see its
              files. {mark.admin.id === user.id && 'You lose these rights. '}
              Registered files are not affected.
            </p>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

// The members of a Mark, invitations to it, and its admin role.

import type { Mark, Person } from '@provenance-registry/core';
import { useCallback, useState } from 'preact/compat';
import * as texts from '#texts/marks/markMembers';
import { navigate } from '../../../routing.js';
import { showFlash } from '../../../ui/feedback/FlashNotice.js';
import { announce } from '../../../ui/feedback/LiveRegion.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { Button } from '../../../ui/form/Button.js';
import { ConfirmButton, ConfirmDialog } from '../../../ui/form/Dialog.js';
import { SelectField } from '../../../ui/form/Field.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { type Account, useAccount, useAuthedQuery } from '../account.js';
import { ListItem } from '../lists.js';
import * as listsStyles from '../lists.module.css';
import { useMarkEvents } from '../live/eventFilters.js';
import { Invitations } from '../organizations/Invitations.js';

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
    announce(texts.removed(name));
    onChange();
  };
  const leave = async () => {
    await client.removeMarkMember({ markId: mark.id, userId: user.id });
    navigate('/dashboard/marks');
    showFlash(texts.hasLeft(mark.name));
  };
  return (
    <Card title={texts.title}>
      {!mark.isClosed && <p className={basics.quiet}>{texts.lead}</p>}
      <ul className={listsStyles.list}>
        <ListItem name={mark.admin.name}>{texts.admin}</ListItem>
        {mark.owner && mark.owner.id !== mark.admin.id && <ListItem name={mark.owner.name}>{texts.owner}</ListItem>}
        {mark.organization && (
          <li className={listsStyles.item}>
            <span className={listsStyles.name}>{texts.allMembersOf(<bdi>{mark.organization.name}</bdi>)}</span>
          </li>
        )}
        {mark.members.map((member) => (
          <ListItem key={member.id} name={member.name}>
            <span>{texts.member}</span>
            {member.id === user.id ? (
              <ConfirmButton verb={texts.leave} name={mark.name} action={texts.leaveMark} work={leave}>
                <p>{texts.leaveConsequences}</p>
              </ConfirmButton>
            ) : (
              (isAdmin || ownsOrganization) && (
                <ConfirmButton
                  verb={texts.remove}
                  name={member.name}
                  action={texts.removeMember}
                  work={() => remove(member)}
                >
                  <p>{texts.removalConsequences}</p>
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

function MarkInvitations({ mark: { id: markId }, onChange }: MarkProps) {
  const { client } = useAccount();
  const load = useCallback(
    (signal: AbortSignal) => client.listMarkInvitations({ markId }, { signal }),
    [client, markId],
  );
  const query = useAuthedQuery(load, useMarkEvents(markId));
  const reload = () => {
    query.reload();
    onChange();
  };
  return (
    <QueryView query={query} what={texts.invitations}>
      {(invitations) => (
        <Invitations
          invitations={invitations}
          invite={({ email }) => client.createMarkInvitation({ markId, ...(email !== undefined && { email }) })}
          withdraw={(invitationId) => client.withdrawMarkInvitation({ markId, invitationId })}
          onChange={reload}
          errorMessages={texts.inviteErrors}
        />
      )}
    </QueryView>
  );
}

/** Shown to the admin, and to the owner, who can also take the role. */
export function MarkAdminCard({ mark, onChange }: MarkProps) {
  const account = useAccount();
  const load = useCallback((signal: AbortSignal) => listCandidates(account, mark, signal), [account, mark]);
  const query = useAuthedQuery(load);
  if (!mayHandOver(account, mark) || mark.isClosed) return null;
  return (
    <Card title={texts.adminTitle}>
      <p className={basics.quiet}>{texts.adminHint}</p>
      <QueryView query={query} what={texts.members}>
        {(candidates) =>
          candidates.length === 0 ? (
            <p>{texts.adminNeedsMember}</p>
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
  const describe = mark.admin.id === user.id ? texts.handOverOwnConsequences : texts.handOverConsequences;
  const handOver = async () => {
    await client.putMarkAdmin({ markId: mark.id, userId: selected.id });
    announce(texts.isAdminNow(selected.name));
    onChange();
  };
  return (
    <>
      <SelectField
        label={texts.newAdmin}
        options={candidates.map(({ id, name }) => ({ id, name: id === user.id ? texts.you(name) : name }))}
        value={selected.id}
        onSelect={setSelectedId}
      />
      <Button onClick={() => setIsAsking(true)}>{isSelf ? texts.takeRole : texts.handOverRole}</Button>
      {isAsking && (
        <ConfirmDialog
          title={isSelf ? texts.takeQuestion : texts.handOverQuestion}
          action={isSelf ? texts.takeRole : texts.handOverRole}
          work={handOver}
          errorMessages={{ NOT_FOUND: texts.isNoMember }}
          onClose={() => setIsAsking(false)}
        >
          <p>{isSelf ? texts.takeConsequences(<bdi>{mark.admin.name}</bdi>) : describe(<bdi>{selected.name}</bdi>)}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

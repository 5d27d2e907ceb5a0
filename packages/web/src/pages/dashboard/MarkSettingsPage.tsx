// The settings and members of a Mark.

import type { Mark, Tier } from '@provenance-registry/core';
import { useCallback } from 'react';
import { useTitle } from '../../routing.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ConfirmButton } from '../../ui/Dialog.js';
import { Form, TextField } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { QueryView } from '../../ui/query.js';
import { validateEmail } from '../../validators.js';
import { type Account, useAccount, useAuthedQuery } from './account.js';
import { ListItem } from './lists.js';
import {
  licenseDescriptions,
  MarkFields,
  type MarkFormValues,
  markValidators,
  parseMarkForm,
  trainingChoices,
} from './MarkFields.js';
import { UpgradeHint } from './tierLimits.js';

export function MarkSettingsPage({ markId }: { readonly markId: string }) {
  const { client, user } = useAccount();
  const load = useCallback((signal: AbortSignal) => client.getMark({ markId }, { signal }), [client, markId]);
  const query = useAuthedQuery(load);
  useTitle(query.value?.name ?? 'Mark');
  return (
    <QueryView query={query} what="Mark">
      {(mark) => (
        <div className="stack">
          <div>
            <h1>
              <bdi>{mark.name}</bdi>
            </h1>
            <div className="row">
              <Link to={`/dashboard/register?mark=${mark.id}`} className={buttonClass('primary')}>
                Register files
              </Link>
              <Link to={`/marks/${mark.id}`} className={buttonClass()}>
                View files
              </Link>
            </div>
          </div>
          <Settings mark={mark} isAdmin={mark.admin.id === user.id} onChange={query.reload} />
          <Members mark={mark} isAdmin={mark.admin.id === user.id} onChange={query.reload} />
        </div>
      )}
    </QueryView>
  );
}

/** Known for Marks of the user and of their organizations only. */
function ownerTier({ user, organizations }: Account, { organization, owner }: Mark): Tier | undefined {
  if (owner?.id === user.id) return user.tier;
  return organizations.find(({ id }) => id === organization?.id)?.tier;
}

interface MarkProps {
  readonly mark: Mark;
  /** Whether the user is the admin of the Mark. */
  readonly isAdmin: boolean;
  readonly onChange: () => void;
}

function Settings({ mark, isAdmin, onChange }: MarkProps) {
  const account = useAccount();
  const { client, tiers } = account;
  const tier = ownerTier(account, mark);
  if (!isAdmin || tier === undefined || !tiers.tiers[tier].markEditing) {
    return (
      <Card title="Settings">
        <SettingsFacts mark={mark} />
        <Notice>
          <p>
            {isAdmin ? (
              <UpgradeHint to="edit Marks" hasFeature={({ markEditing }) => markEditing} />
            ) : (
              <>
                Only its admin, <bdi>{mark.admin.name}</bdi>, can edit this Mark.
              </>
            )}
          </p>
        </Notice>
      </Card>
    );
  }
  const save = async (values: MarkFormValues) => {
    await client.updateMark({ markId: mark.id, ...parseMarkForm(values) });
    onChange();
  };
  return (
    <Card title="Settings">
      <p className="quiet">Changes apply to new files. Registered files keep their values.</p>
      <Form validators={markValidators} submit={save} action="Save" busyAction="Saving …" doneMessage="Saved.">
        <MarkFields mark={mark} tier={tier} />
      </Form>
    </Card>
  );
}

function SettingsFacts({ mark }: { readonly mark: Mark }) {
  const training = trainingChoices.find(({ value }) => value === String(mark.allowAiTraining));
  return (
    <dl className="particulars">
      <dt>Visibility</dt>
      <dd>{mark.visibility === 'public' ? 'Public' : 'Private: visible to members only'}</dd>
      <dt>License</dt>
      <dd>
        {mark.license.name}. {licenseDescriptions[mark.licenseKey]}
      </dd>
      <dt>AI training</dt>
      <dd>{training?.hint}</dd>
    </dl>
  );
}

function Members({ mark, isAdmin, onChange }: MarkProps) {
  const { client } = useAccount();
  const add = async ({ email }: { email: string }) => {
    const { name } = await client.addMarkMember({ markId: mark.id, email: email.trim() });
    announce(`${name} was added to this Mark.`);
    onChange();
  };
  const remove = async (userId: string, name: string) => {
    await client.removeMarkMember({ markId: mark.id, userId });
    announce(`${name} was removed from this Mark.`);
    onChange();
  };
  return (
    <Card title="Members">
      <p className="quiet">Members can register files under this Mark.</p>
      <ul className="list">
        <ListItem name={mark.admin.name}>Admin</ListItem>
        {mark.organization && (
          <li className="list-item">
            <span className="list-name">
              All members of <bdi>{mark.organization.name}</bdi>
            </span>
          </li>
        )}
        {mark.members.map(({ id, name }) => (
          <ListItem key={id} name={name}>
            <span>Member</span>
            {isAdmin && (
              <ConfirmButton verb="Remove" name={name} action="Remove member" work={() => remove(id, name)}>
                <p>Files that they registered under this Mark are not affected.</p>
              </ConfirmButton>
            )}
          </ListItem>
        ))}
      </ul>
      {isAdmin && (
        <Form
          validators={{ email: validateEmail }}
          submit={add}
          fieldErrorMessages={{ email: addMemberErrors }}
          action="Add member"
          busyAction="Adding …"
          kind="plain"
          resetOnSuccess
        >
          <TextField
            name="email"
            type="email"
            label="Add member"
            hint="The email address of their account."
            autoComplete="off"
          />
        </Form>
      )}
    </Card>
  );
}

const addMemberErrors = {
  NOT_FOUND: 'No account with this email address. They need to sign up first.',
  CONFLICT: 'They are already a member of this Mark.',
};

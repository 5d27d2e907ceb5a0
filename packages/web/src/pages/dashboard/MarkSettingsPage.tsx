// The settings of a Mark, with its members.

import type { Mark, Tier } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import { useTitle } from '../../routing.js';
import { AiPreferenceLines } from '../../ui/AiPreferenceLines.js';
import { buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { ClosedMarkNotice } from '../../ui/ClosedMark.js';
import { Form } from '../../ui/Form.js';
import { Link } from '../../ui/Link.js';
import { Notice } from '../../ui/Notice.js';
import { QueryView } from '../../ui/query.js';
import { type Account, useAccount, useAuthedQuery } from './account.js';
import { MarkDomains } from './MarkDomains.js';
import { licenseDescriptions, MarkFields, type MarkFormValues, markValidators, parseMarkForm } from './MarkFields.js';
import { MarkLookalikes } from './MarkLookalikes.js';
import { MarkAdminCard, MarkMembers, type MarkProps } from './MarkMembers.js';
import { MarkRepresentative } from './MarkRepresentative.js';
import { UpgradeHint } from './tierLimits.js';

export function MarkSettingsPage({ markId }: { readonly markId: string }) {
  const { client } = useAccount();
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
              {!mark.isClosed && (
                <Link to={`/dashboard/register?mark=${mark.id}`} className={buttonClass('primary')}>
                  Register files
                </Link>
              )}
              <Link to={`/marks/${mark.id}`} className={buttonClass()}>
                View files
              </Link>
            </div>
          </div>
          {mark.isClosed && <ClosedMarkNotice />}
          <Settings mark={mark} onChange={query.reload} />
          {!mark.isClosed && <MarkLookalikes mark={mark} />}
          <MarkDomains mark={mark} onChange={query.reload} />
          <MarkMembers mark={mark} onChange={query.reload} />
          <MarkRepresentative mark={mark} onChange={query.reload} />
          <MarkAdminCard mark={mark} onChange={query.reload} />
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

function Settings({ mark, onChange }: MarkProps) {
  const account = useAccount();
  const { client, tiers, user } = account;
  const isAdmin = mark.admin.id === user.id;
  const tier = ownerTier(account, mark);
  if (mark.isClosed) {
    return (
      <Card title="Settings">
        <SettingsFacts mark={mark} />
      </Card>
    );
  }
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
    const { name, ...changes } = parseMarkForm(values);
    // An unchanged name may be one that is refused by now.
    await client.updateMark({ markId: mark.id, ...changes, ...(name !== mark.name && { name }) });
    onChange();
  };
  return (
    <Card title="Settings">
      <p className="quiet">Changes apply to new files. Registered files keep their values.</p>
      <Form
        validators={markValidators}
        submit={save}
        confirm={({ visibility }) => confirmVisibility(mark, visibility)}
        action="Save"
        busyAction="Saving …"
        doneMessage="Saved."
      >
        <MarkFields mark={mark} tier={tier} />
      </Form>
    </Card>
  );
}

/** Asks only if the visibility changes. */
function confirmVisibility(mark: Mark, visibility: string) {
  if (visibility === mark.visibility) return undefined;
  if (visibility === 'private') {
    return {
      title: 'Make this Mark private?',
      action: 'Make private',
      text: (
        <>
          <p>
            Others no longer see this Mark here, also not in the gallery. Of its files they still see fingerprint, type,
            status and date, but not their names, authors and licenses. New files are published without names.
          </p>
          <p>
            <strong>This cannot be taken back for files that are already registered:</strong> their published manifests,
            reports, cards and signed copies keep the names of Mark, author and file that were signed, and anyone with
            their address can read them. Entries on chain stay, too, and show which of them have the same author.
          </p>
        </>
      ),
    };
  }
  return {
    title: 'Make this Mark public?',
    action: 'Make public',
    text: (
      <p>
        Anyone can then see this Mark and all its files, with their names, authors and licenses, also those that were
        registered while it was private. You can make it private again, but not take back what others have seen.
      </p>
    ),
  };
}

function SettingsFacts({ mark }: { readonly mark: Mark }) {
  return (
    <dl className="particulars">
      <dt>Visibility</dt>
      <dd>{mark.visibility === 'public' ? 'Public' : 'Private: visible to members only'}</dd>
      <dt>License</dt>
      <dd>
        {mark.license.name}. {licenseDescriptions[mark.licenseKey]}
      </dd>
      <dt>AI preference</dt>
      <dd>
        <AiPreferenceLines preferences={mark.aiPreferences} />
      </dd>
    </dl>
  );
}

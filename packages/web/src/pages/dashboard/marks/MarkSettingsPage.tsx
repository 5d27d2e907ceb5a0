// The settings of a Mark, with its members.

import type { Mark, Tier } from '@provenance-registry/core';
import { useCallback } from 'preact/compat';
import * as texts from '#texts/marks/marks';
import { useTitle } from '../../../routing.js';
import { AiPreferenceLines } from '../../../ui/facts/AiPreferenceLines.js';
import { Notice } from '../../../ui/feedback/Notice.js';
import { QueryView } from '../../../ui/feedback/query.js';
import { buttonClass } from '../../../ui/form/Button.js';
import { Form } from '../../../ui/form/Form.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { ClosedMarkNotice } from '../../../ui/mark/ClosedMark.js';
import { Link } from '../../../ui/text/Link.js';
import { type Account, useAccount, useAuthedQuery } from '../account.js';
import { useMarkEvents } from '../live/eventFilters.js';
import * as particularsStyles from '../Particulars.module.css';
import { UpgradeHint } from '../tierLimits.js';
import { MarkDomains } from './MarkDomains.js';
import { MarkFields, type MarkFormValues, markValidators, parseMarkForm } from './MarkFields.js';
import { MarkLookalikes } from './MarkLookalikes.js';
import { MarkAdminCard, MarkMembers, type MarkProps } from './MarkMembers.js';
import { MarkRepresentative } from './MarkRepresentative.js';

export function MarkSettingsPage({ markId }: { readonly markId: string }) {
  const { client } = useAccount();
  const load = useCallback((signal: AbortSignal) => client.getMark({ markId }, { signal }), [client, markId]);
  const query = useAuthedQuery(load, useMarkEvents(markId));
  useTitle(query.value?.name ?? texts.mark);
  return (
    <QueryView query={query} what={texts.mark}>
      {(mark) => (
        <div className={basics.stack}>
          <div>
            <h1>
              <bdi>{mark.name}</bdi>
            </h1>
            <div className={basics.row}>
              {!mark.isClosed && (
                <Link to={`/dashboard/register?mark=${mark.id}`} className={buttonClass('primary')}>
                  {texts.registerFiles}
                </Link>
              )}
              <Link to={`/marks/${mark.id}`} className={buttonClass()}>
                {texts.viewFiles}
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
      <Card title={texts.settingsTitle}>
        <SettingsFacts mark={mark} />
      </Card>
    );
  }
  if (!isAdmin || tier === undefined || !tiers.tiers[tier].markEditing) {
    return (
      <Card title={texts.settingsTitle}>
        <SettingsFacts mark={mark} />
        <Notice>
          <p>
            {isAdmin ? (
              <UpgradeHint feature="markEditing" hasFeature={({ markEditing }) => markEditing} />
            ) : (
              texts.onlyAdminEdits(<bdi>{mark.admin.name}</bdi>)
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
    <Card title={texts.settingsTitle}>
      <p className={basics.quiet}>{texts.settingsHint}</p>
      <Form
        validators={markValidators}
        submit={save}
        confirm={({ visibility }) => confirmVisibility(mark, visibility)}
        action={texts.save}
        busyAction={texts.saving}
        doneMessage={texts.saved}
      >
        <MarkFields mark={mark} tier={tier} />
      </Form>
    </Card>
  );
}

/** Asks only if the visibility changes. */
function confirmVisibility(mark: Mark, visibility: string) {
  if (visibility === mark.visibility) return undefined;
  return visibility === 'private' ? texts.makePrivate : texts.makePublic;
}

function SettingsFacts({ mark }: { readonly mark: Mark }) {
  return (
    <dl className={particularsStyles.particulars}>
      <dt>{texts.visibilityLabel}</dt>
      <dd>{mark.visibility === 'public' ? texts.publicFact : texts.privateFact}</dd>
      <dt>{texts.licenseLabel}</dt>
      <dd>{texts.licenseFact(mark.license.name, texts.licenseDescriptions[mark.licenseKey])}</dd>
      <dt>{texts.aiLabel}</dt>
      <dd>
        <AiPreferenceLines preferences={mark.aiPreferences} />
      </dd>
    </dl>
  );
}

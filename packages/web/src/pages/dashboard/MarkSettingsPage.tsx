// One Mark: what it states, and who may register under it.

import type { Mark, Person, Tier } from '@provenance-registry/core';
import { useCallback, useState } from 'react';
import { explain, hasCode } from '../../registryClient.js';
import { Link, useTitle } from '../../routing.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { FieldError, Form } from '../../ui/Form.js';
import { announce } from '../../ui/LiveRegion.js';
import { Notice } from '../../ui/Notice.js';
import { Loading } from '../../ui/QueryView.js';
import { type Account, firstTierWith, useAccount } from './account.js';
import { licenceWords, trainingChoices } from './licenseTexts.js';
import { ComesWith, MarkFields, markChecks, markOf } from './MarkFields.js';
import { PersonField, Removal } from './MemberForms.js';
import { useAuthedQuery } from './useAuthedQuery.js';
import { wrongEmail } from './validators.js';

export function MarkPage({ markId }: { readonly markId: string }) {
  const { service } = useAccount();
  const load = useCallback((signal: AbortSignal) => service.getMark({ markId }, { signal }), [service, markId]);
  const loading = useAuthedQuery(load);
  useTitle(loading.value?.name ?? 'Mark');
  return (
    <Loading of={loading} what="the Mark">
      {(mark) => <OneMark mark={mark} onChange={loading.reload} />}
    </Loading>
  );
}

interface OneMarkProps {
  readonly mark: Mark;
  readonly onChange: () => void;
}

function OneMark({ mark, onChange }: OneMarkProps) {
  const account = useAccount();
  const isAdmin = mark.admin.id === account.user.id;
  return (
    <div className="stack">
      <div>
        <h1>
          <bdi>{mark.name}</bdi>
        </h1>
        <div className="row">
          <Link to={`/dashboard/register?mark=${mark.id}`} className={buttonClass('primary')}>
            Register files under it
          </Link>
          <Link to={`/marks/${mark.id}`} className={buttonClass()}>
            See its files
          </Link>
        </div>
      </div>
      <Statement mark={mark} isAdmin={isAdmin} tier={tierOf(account, mark)} onChange={onChange} />
      <Members mark={mark} isAdmin={isAdmin} onChange={onChange} />
    </div>
  );
}

/** Of whoever owns the Mark; of others than oneself and one's organizations it is not known. */
function tierOf({ user, organizations }: Account, { organization, owner }: Mark): Tier | undefined {
  if (owner?.id === user.id) return user.tier;
  return organizations.find(({ id }) => id === organization?.id)?.tier;
}

interface StatementProps extends OneMarkProps {
  readonly isAdmin: boolean;
  readonly tier: Tier | undefined;
}

function Statement({ mark, isAdmin, tier, onChange }: StatementProps) {
  const { service, tiers } = useAccount();
  if (!isAdmin || tier === undefined || !tiers.tiers[tier].markEditing) {
    return (
      <Card title="What it states">
        <Facts mark={mark} />
        <Notice>
          <p>
            {isAdmin ? (
              <ComesWith what="Changing Marks comes" tier={firstTierWith(tiers, (rules) => rules.markEditing)} />
            ) : (
              <>
                Only its admin, <bdi>{mark.admin.name}</bdi>, may change it.
              </>
            )}
          </p>
        </Notice>
      </Card>
    );
  }
  const change = async (values: Record<keyof typeof markChecks, string>) => {
    await service.updateMark({ markId: mark.id, ...markOf(values) });
    onChange();
  };
  return (
    <Card title="What it states">
      <p className="quiet">What is registered already keeps what it was registered with.</p>
      <Form checks={markChecks} submit={change} action="Save" busyAction="Saving …" doneWord="Saved.">
        {({ name }) => <MarkFields mark={mark} tier={tier} nameError={name} />}
      </Form>
    </Card>
  );
}

function Facts({ mark }: { readonly mark: Mark }) {
  const training = trainingChoices.find(({ value }) => value === String(mark.allowAiTraining));
  return (
    <dl className="particulars">
      <dt>Who sees it</dt>
      <dd>{mark.visibility === 'public' ? 'Everybody' : 'Only those who may register under it'}</dd>
      <dt>Licence</dt>
      <dd>
        {mark.license.name}. {licenceWords[mark.licenseKey]}
      </dd>
      <dt>AI training</dt>
      <dd>{training?.hint}</dd>
    </dl>
  );
}

function Members({ mark, isAdmin, onChange }: Omit<StatementProps, 'tier'>) {
  const { service } = useAccount();
  const [leaving, setLeaving] = useState<Person>();
  const add = async ({ email }: { email: string }) => {
    try {
      const { name } = await service.addMarkMember({ markId: mark.id, email: email.trim() });
      announce(`${name} may register files under this Mark now.`);
    } catch (error) {
      if (!hasCode(error, 'NOT_FOUND') && !hasCode(error, 'CONFLICT')) throw error;
      throw new FieldError('email', explain(error, memberRefusals));
    }
    onChange();
  };
  const remove = async (person: Person) => {
    await service.removeMarkMember({ markId: mark.id, userId: person.id });
    announce(`${person.name} may not register files under this Mark any more.`);
    setLeaving(undefined);
    onChange();
  };
  return (
    <Card title="Who may register under it">
      <ul className="list">
        <PersonItem person={mark.admin} standing="Admin" />
        {mark.organization && (
          <li className="list-item">
            <span className="list-name">
              Everybody in <bdi>{mark.organization.name}</bdi>
            </span>
          </li>
        )}
        {mark.members.map((person) => (
          <PersonItem key={person.id} person={person} standing="Member" onRemove={isAdmin ? setLeaving : undefined} />
        ))}
      </ul>
      {isAdmin && (
        <Form
          checks={{ email: (text) => wrongEmail(text.trim()) }}
          submit={add}
          action="Add"
          busyAction="Adding …"
          kind="plain"
          isClearedAfter
        >
          {({ email }) => <PersonField error={email} />}
        </Form>
      )}
      {leaving && (
        <Removal person={leaving} remove={() => remove(leaving)} onClose={() => setLeaving(undefined)}>
          What they have registered under this Mark stays.
        </Removal>
      )}
    </Card>
  );
}

const memberRefusals = {
  NOT_FOUND: 'Nobody here has this email address. They need an account first.',
  CONFLICT: 'They may register under this Mark already.',
};

interface PersonItemProps {
  readonly person: Person;
  readonly standing: string;
  readonly onRemove?: ((person: Person) => void) | undefined;
}

function PersonItem({ person, standing, onRemove }: PersonItemProps) {
  return (
    <li className="list-item">
      <span className="list-name">
        <bdi>{person.name}</bdi>
      </span>
      <span className="list-facts">
        <span>{standing}</span>
        {onRemove && (
          <Button kind="quiet" aria-label={`Remove ${person.name}`} onClick={() => onRemove(person)}>
            Remove
          </Button>
        )}
      </span>
    </li>
  );
}

// The usage units of an organization, and how many of them are in use.

import { viewTiers } from '#texts/accounts/tiers';
import * as texts from '#texts/organizations/organizations';
import { Form, TextField } from '../../../ui/form/Form.js';
import * as basics from '../../../ui/layout/basics.module.css';
import { Card } from '../../../ui/layout/Card.js';
import { Link } from '../../../ui/text/Link.js';
import { validateCount } from '../../../validators.js';
import { useAccount } from '../account.js';
import { Meter, tierLabels, UNLIMITED } from '../tierLimits.js';
import type { OrganizationProps } from './OrganizationMembers.js';

export function UsageUnits({ organization, onChange }: OrganizationProps) {
  const { tiers } = useAccount();
  const { usageUnits, role, status, tier } = organization;
  const { maxOrganizationMembers } = tiers.tiers[tier];
  // Units beyond the member limit of the tier can be bought through the API, but not used.
  const unusable = maxOrganizationMembers === UNLIMITED ? 0 : usageUnits.total - 1 - maxOrganizationMembers;
  return (
    <Card title={texts.unitsTitle}>
      <Meter
        label={texts.unitsMeter}
        used={usageUnits.used}
        limit={usageUnits.total}
        note={unusable > 0 ? texts.unusableUnits(unusable, tierLabels[tier]) : undefined}
      />
      <p className={basics.quiet}>{texts.unitsHint}</p>
      {role === 'owner' && status === 'active' && <UnitsForm organization={organization} onChange={onChange} />}
    </Card>
  );
}

function UnitsForm({ organization, onChange }: OrganizationProps) {
  const { client, tiers } = useAccount();
  const { id: organizationId, usageUnits, tier } = organization;
  const purchased = usageUnits.total - 1;
  const { maxOrganizationMembers: limit } = tiers.tiers[tier];
  if (limit === 0 && purchased === 0) {
    return <p>{texts.unitsAreUseless(tierLabels[tier], <Link to="/dashboard/account/tier">{viewTiers}</Link>)}</p>;
  }
  const limitText = limit === UNLIMITED ? undefined : texts.unitsAreLimited(tierLabels[tier], limit);
  const validatePurchased = (text: string) => {
    const used = usageUnits.used - 1;
    if (Number(text) < used) return validateCount(text) ?? texts.tooFewUnits(used);
    // Those that exist already may be kept.
    return validateCount(text) ?? (Number(text) > Math.max(limit, purchased) ? limitText : undefined);
  };
  const save = async (values: { purchased: string }) => {
    await client.putUsageUnits({ organizationId, purchased: Number(values.purchased) });
    onChange();
  };
  return (
    <Form
      validators={{ purchased: validatePurchased }}
      submit={save}
      errorMessages={{ BAD_REQUEST: texts.moreUnitsInUse }}
      action={texts.save}
      busyAction={texts.saving}
      doneMessage={texts.saved}
      kind="plain"
    >
      <TextField
        name="purchased"
        type="number"
        min={0}
        max={limit === UNLIMITED ? undefined : Math.max(limit, purchased)}
        label={texts.additionalUnits}
        hint={limitText}
        defaultValue={purchased}
        autoComplete="off"
      />
    </Form>
  );
}

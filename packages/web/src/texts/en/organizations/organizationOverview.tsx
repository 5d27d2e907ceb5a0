// Texts of the overview of an organization: totals, registrations per day, counts by member and by Mark.

import { formatNumber, pluralize } from '../../../ui/text/format.js';

export const title = 'Overview';
export const total = 'Artifacts';
export const today = 'Today (UTC)';
export const last30Days = 'Last 30 days';
export const onChain = 'On chain';
export const inProgress = 'In progress';
export const failed = 'Failed';
export const marks = 'Marks';
export const members = 'Members';
export const usageUnits = 'Usage units';
export const usedOfTotal = (used: number, total: number) => `${formatNumber(used)} of ${formatNumber(total)}`;
export const openClaims = 'Open claims';
export const openClaimsHint = (count: number) =>
  count === 1
    ? 'Another user contests a file of a Mark of this organization. The admin of the Mark can answer.'
    : `Other users contest ${formatNumber(count)} files of Marks of this organization. The admins of the Marks can answer.`;
export const viewClaims = 'View claims';
export const failedHint = (count: number) =>
  `${pluralize(count, 'Artifact')} could not be registered on chain. Failed Artifacts are not part of the other counts, and signed copies are not counted.`;

export const perDay = 'Registrations per day';
export const chartSummary = (count: number, most: number, day: string) =>
  count === 0
    ? 'No Artifacts were registered in the last 30 days.'
    : `${pluralize(count, 'Artifact')} in the last 30 days. Most on one day: ${formatNumber(most)}, on ${day}.`;
export const dayCount = (day: string, count: number) => `${day}: ${pluralize(count, 'Artifact')}`;
export const showTable = 'Show as a table';
export const utcDay = 'Day (UTC)';
export const artifacts = 'Artifacts';

export const byMember = 'Artifacts by member';
export const byMemberHint =
  'Visible to the owner and to admins. Files that were registered with an API key count for the owner of the organization at that time.';
export const member = 'Member';
export const lastActive = 'Last active';
export const never = 'Never';
export const markMembers = (count: number) => `Members of single Marks (${formatNumber(count)})`;
export const formerMembers = (count: number) => `Former members (${formatNumber(count)})`;

export const byMark = 'Artifacts by Mark';
export const mark = 'Mark';
export const lastRegistered = 'Last registered';
export const moreMarks = (shown: number) => `Only the ${formatNumber(shown)} Marks with the most Artifacts are listed.`;

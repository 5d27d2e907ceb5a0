// Texts of the domains of a Mark.

import type { ReactNode } from 'preact/compat';

export const title = 'Domains';
export const lead =
  'Anyone can give a Mark any name. A verified domain tells others which website stands behind this one. It is shown with the Mark, and signed into the manifests of files that are registered from then on.';
export const whatIsLoaded = 'domains';
export const isEmpty = 'This Mark has no verified domain.';
export const statuses = { pending: 'Not confirmed yet', verified: 'Verified', failing: 'Last check failed' };

export const label = 'Domain';
export const hint = 'Such as example.org.';
export const add = 'Add domain';
export const adding = 'Adding …';
export const added = 'Domain added.';
export const claimErrors = (limit: number) => ({
  CONFLICT: `This Mark claims the domain already, or has ${limit} domains.`,
  TIER_RESTRICTION: 'The organization of this Mark is frozen.',
});

export const verifiedByDns = (since: ReactNode, last: ReactNode) => (
  <>
    Verified by its DNS record since {since}, last confirmed {last}.
  </>
);
export const verifiedByFile = (since: ReactNode, last: ReactNode) => (
  <>
    Verified by a file on its website since {since}, last confirmed {last}.
  </>
);
export const willLapse = (time: ReactNode) => <>Unless a check succeeds before, the verification lapses on {time}.</>;
export const checkedUntil = (day: ReactNode) => <>Checked again every hour, until {day}.</>;

export const check = 'Check now';
export const checkOf = (domain: string) => `Check now: ${domain}`;
export const checking = 'Checking …';
export const checked = 'Checked.';
export const remove = 'Remove';
export const removeDomain = 'Remove domain';
export const removalConsequences =
  'It is no longer shown with this Mark. Files that were registered while it was verified still show it, and so do their signed manifests.';
export const removed = (domain: string) => `${domain} was removed from this Mark.`;

export const proofsLead = 'Publish one of these. Both are public and contain no secret.';
export const dnsRecord = 'DNS record';
export const dnsHint = 'A TXT record with this name and value:';
export const recordName = 'record name';
export const recordValue = 'record value';
export const orFile = 'Or a file';
export const fileHint = 'At this address, with this content:';
export const fileAddress = 'file address';
export const fileContent = 'file content';

// `mark domain`, `mark namesakes` and `mark represented-by`: what shows who stands behind a Mark.

import type { MarkDomain } from '@provenance-registry/core';
import { defineApiCommand } from '../apiCommand.js';
import type { CommandGroup } from '../command.js';
import { yesOption } from '../confirmation.js';
import { findMarkId, markArgument } from '../names.js';
import { formatFields, formatList, text } from '../text.js';
import { formatMark, formatMarkList, methodNames } from './markText.js';

const domainArgument = { label: 'DOMAIN', summary: 'domain, such as example.org' } as const;

const addDomainCommand = defineApiCommand({
  name: 'add',
  summary: 'add a domain',
  description:
    'Adds a domain to a Mark, and prints the TXT record and the file that prove it: publish one of the two. The service ' +
    'looks for them immediately and repeatedly, and once it has found one, every day. Admins only.',
  arguments: { markId: markArgument, domain: domainArgument },
  examples: { 'provenance mark domain add "$MARK_ID" ada.example.com': 'Add a domain' },
  request: (client, { markId, domain }) => client.claimDomain({ markId, domain }),
  format: ({ domain, status, dnsRecord, file, lapsesAt }) =>
    formatFields([
      ['Domain', domain],
      ['Status', status],
      ['TXT record', dnsRecord.name],
      ['  with value', dnsRecord.value],
      ['or file', file.url],
      ['  with content', file.content],
      ['Until', lapsesAt],
    ]),
});

const listDomainsCommand = defineApiCommand({
  name: 'list',
  summary: "list a Mark's domains",
  description:
    'Lists the domains of a Mark, oldest first. For users with write access; verified ones are shown with the Mark to everyone.',
  arguments: { markId: markArgument },
  examples: { 'provenance mark domain list "$MARK_ID"': 'Domains and the results of their checks' },
  request: (client, { markId }) => client.listDomains({ markId }),
  format: (domains) =>
    formatList(
      ['DOMAIN', 'STATUS', 'BY', 'SINCE', 'CONFIRMED', 'NEXT CHECK', 'PROBLEM'],
      domains.map((item) => [
        item.domain,
        item.status,
        item.method === null ? '' : methodNames[item.method],
        item.since ?? '',
        item.lastChecked ?? '',
        item.nextCheckAt,
        describeProblem(item),
      ]),
    ),
});

function describeProblem({ lastError, lapsesAt }: MarkDomain): string {
  if (lastError === null) return '';
  return lapsesAt === null ? lastError : `${lastError} (until ${lapsesAt})`;
}

const checkDomainCommand = defineApiCommand({
  name: 'check',
  summary: 'check a domain now',
  description: 'Schedules a check of a domain; at most one a minute. Admins only.',
  arguments: { markId: markArgument, domain: domainArgument },
  examples: { 'provenance mark domain check "$MARK_ID" ada.example.com': 'After you have published the record' },
  async request(client, { markId, domain }) {
    await client.checkDomain({ markId, domain });
    return { markId, domain };
  },
  format: ({ markId }) => text`A check is scheduled. 'provenance mark domain list ${markId}' shows its result.`,
});

const removeDomainCommand = defineApiCommand({
  name: 'remove',
  summary: 'remove a domain',
  description: 'Removes a domain from a Mark. Admins only.',
  arguments: { markId: markArgument, domain: domainArgument },
  options: { yes: yesOption },
  examples: { 'provenance mark domain remove "$MARK_ID" ada.example.com --yes': 'Remove a domain' },
  confirm: (_client, { domain }) => ({
    consequences:
      'The domain is no longer shown with the Mark. Files that were registered while it was verified keep saying so, as do ' +
      'their manifests.',
    question: `Remove ${domain}?`,
  }),
  async request(client, { markId, domain }) {
    await client.removeDomain({ markId, domain });
    return { markId, domain };
  },
  format: () => text`Domain removed.`,
});

export const domainGroup: CommandGroup = {
  name: 'domain',
  summary: 'prove which domains a Mark belongs to',
  description: 'Manages the domains of a Mark: the service checks that they name the Mark, and shows them with it.',
  commands: [addDomainCommand, listDomainsCommand, checkDomainCommand, removeDomainCommand],
};

export const namesakesCommand = defineApiCommand({
  name: 'namesakes',
  summary: 'list public Marks with a similar name',
  description:
    'Lists public Marks whose names look like the given one, oldest first. Anyone can give a Mark any name: compare ' +
    'domains, age and number of Artifacts. No login required.',
  arguments: { name: { label: 'NAME', summary: 'name to compare with' } },
  examples: { 'provenance mark namesakes "Ada Lovelace"': 'Marks that look like this one' },
  isPublic: true,
  request: async (client, { name }) => (await client.listNamesakes({ name })).marks,
  format: formatMarkList,
});

export const representedByCommand = defineApiCommand({
  name: 'represented-by',
  summary: 'state which Mark represents this one',
  description:
    'Adds the statement "now represented by" to a Mark and its files, which never change their Mark. For the admin, with ' +
    'write access to the other Mark, which must be public.',
  arguments: {
    markId: markArgument,
    other: { label: 'OTHER', summary: 'name or ID of the other Mark; none removes the statement' },
  },
  examples: { 'provenance mark represented-by "$MARK_ID" "$OTHER_MARK_ID"': 'After a merger, for example' },
  request: async (client, { markId, other }) =>
    client.putRepresentative({ markId, representativeId: other === 'none' ? null : await findMarkId(client, other) }),
  format: formatMark,
});

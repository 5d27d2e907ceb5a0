// Domains that Marks claim, and how they prove them.

import Type, { type Static } from 'typebox';
import { StringEnum } from '../../text/text.js';
import { accepted, created, exampleTime, Nullable, noContent, ok, operations, route } from '../declarations.js';
import { exampleIds, Timestamp, Uuid } from '../operation.js';
import { type DomainMethod, DomainText, markAdminErrors } from './marks.js';

/** The TXT record is at this label below the domain. */
export const DOMAIN_RECORD_LABEL = '_provenance-registry';
/** The path of the file on the domain's web server. */
export const DOMAIN_FILE_PATH = '/.well-known/provenance-mark.json';
/** Number of domains that a Mark can have. */
export const MAX_DOMAINS = 5;

export const MarkDomain = Type.Object(
  {
    domain: DomainText,
    status: StringEnum(['pending', 'verified', 'failing'], {
      description:
        '`pending`: never confirmed yet. `verified`: the last check succeeded. `failing`: it did not, and the domain lapses ' +
        'at `lapsesAt` unless a check succeeds before.',
    }),
    method: Type.Unsafe<Static<typeof DomainMethod> | null>({
      type: ['string', 'null'],
      description: 'How it was confirmed last.',
    }),
    dnsRecord: Type.Object(
      { name: Type.String(), value: Type.String() },
      {
        description:
          'A TXT record with this name and value confirms the domain. The value names the Mark by its id; a private one by a ' +
          'token, which tells nothing to others. The id of a private Mark is accepted too.',
      },
    ),
    file: Type.Object(
      { url: Type.String(), content: Type.String() },
      { description: 'So does a file at this URL, with the same id or token. It may name several Marks.' },
    ),
    since: Nullable<string>('string', 'When it was first confirmed.'),
    lastChecked: Nullable<string>('string', 'The last check that succeeded.'),
    lastError: Nullable<string>('string', 'Why the last check failed; null when it succeeded.'),
    nextCheckAt: Timestamp('When it is checked next.'),
    lapsesAt: Nullable<string>('string', 'When it lapses or, if it is pending, expires; null while checks succeed.'),
    claimedAt: Timestamp('When it was claimed.'),
  },
  { title: 'MarkDomain' },
);
export type MarkDomain = Static<typeof MarkDomain>;

const exampleDomain = 'lovelace.example';
const example: MarkDomain = {
  domain: exampleDomain,
  status: 'pending',
  method: null,
  dnsRecord: { name: `${DOMAIN_RECORD_LABEL}.${exampleDomain}`, value: `mark=${exampleIds.MARK_ID}` },
  file: {
    url: `https://${exampleDomain}${DOMAIN_FILE_PATH}`,
    content: JSON.stringify({ marks: [exampleIds.MARK_ID] }),
  },
  since: null,
  lastChecked: null,
  lastError: null,
  nextCheckAt: exampleTime,
  lapsesAt: exampleTime,
  claimedAt: exampleTime,
};

const MarkParams = Type.Object({ markId: Uuid('The Mark.') });
const DomainParams = Type.Object({
  markId: Uuid('The Mark.'),
  domain: Type.String({ maxLength: 253, description: 'The domain.' }),
});
const notFound = 'No such Mark, or it does not claim the domain.';

export const domainOperations = operations('Marks', {
  claimDomain: {
    ...route('POST', '/api/v1/marks/{markId}/domains', 'bearer'),
    summary: 'Claim a domain',
    description:
      'The domain proves that it belongs to the Mark by a TXT record or a file; both are public and contain no secret. The ' +
      'service looks for them at once, then every hour, and once confirmed every day. When checks fail, the domain stays ' +
      'for seven days, and the admin is notified. Admin only.',
    params: MarkParams,
    body: Type.Object({
      domain: Type.String({ minLength: 3, maxLength: 253, description: 'A domain such as example.org.' }),
    }),
    exampleBody: { domain: exampleDomain },
    success: created(
      'The claim, with the record to publish.',
      MarkDomain,
      example,
      '/api/v1/marks/{markId}/domains/{domain}',
    ),
    errors: {
      BAD_REQUEST: 'This is not the name of a domain on the internet.',
      ...markAdminErrors,
      NOT_FOUND: 'No such Mark.',
      CONFLICT: `The Mark claims the domain already, or claims ${MAX_DOMAINS} domains.`,
    },
  },
  listDomains: {
    ...route('GET', '/api/v1/marks/{markId}/domains', 'bearer'),
    summary: "List a Mark's domains",
    description:
      'Claimed domains, oldest first. For users with write access; verified ones are shown with the Mark to everyone.',
    params: MarkParams,
    success: ok('The domains.', Type.Array(MarkDomain), [example]),
    errors: {
      FORBIDDEN: 'The caller has no write access to the Mark.',
      API_KEY_ORG_MISMATCH: markAdminErrors.API_KEY_ORG_MISMATCH,
      NOT_FOUND: 'No such Mark.',
    },
  },
  checkDomain: {
    ...route('POST', '/api/v1/marks/{markId}/domains/{domain}/check', 'bearer'),
    summary: 'Check a domain now',
    description: 'Schedules a check; at most one a minute. The list shows its result. Admin only.',
    params: DomainParams,
    success: accepted('A check is scheduled.'),
    errors: { ...markAdminErrors, NOT_FOUND: notFound },
  },
  removeDomain: {
    ...route('DELETE', '/api/v1/marks/{markId}/domains/{domain}', 'bearer'),
    summary: 'Remove a domain',
    description:
      'It is no longer shown with the Mark. Artifacts registered while it was verified go on to say so, and so do their manifests. Admin only.',
    params: DomainParams,
    success: noContent('The domain is removed.'),
    errors: { ...markAdminErrors, NOT_FOUND: notFound },
  },
});

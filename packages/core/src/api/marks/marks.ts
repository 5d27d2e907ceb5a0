// Marks: authorship identities, their members, and the public gallery.

import Type, { type Static } from 'typebox';
import { AiPreferences, aiPreferencesOf, SomeAiPreferences } from '../../metadata/aiPreferences.js';
import { LicenseKey, licenses } from '../../metadata/licenses.js';
import { DisplayName, PublicName, SearchText, StringEnum } from '../../text/text.js';
import {
  created,
  exampleAuthor,
  exampleMember,
  exampleTime,
  License,
  NextCursor,
  Nullable,
  NullableReference,
  noContent,
  ok,
  operations,
  route,
} from '../declarations.js';
import { exampleIds, Person, Timestamp, Uuid } from '../operation.js';

const Visibility = StringEnum(['public', 'private'], {
  description: 'Public Marks appear in the gallery; private ones are visible only to users with write access.',
});
const AiTraining = Nullable<boolean>(
  'boolean',
  'Whether files registered under the Mark may be used to train AI models; null: not specified. The short form of ' +
    '`aiPreferences`: setting it alone sets all four uses.',
);

export const DomainMethod = StringEnum(['dns', 'file'], {
  description: '`dns`: a TXT record; `file`: a file on the web server of the domain.',
});

/** Never in Unicode: letters that look alike would hide whose domain it is. */
export const DomainText = Type.String({ pattern: '^[!-~]+$', description: 'In its ASCII form.' });

export const VerifiedDomain = Type.Object(
  {
    domain: DomainText,
    method: DomainMethod,
    since: Timestamp('When the domain was first confirmed. Every later daily check has succeeded, or is within grace.'),
    lastChecked: Timestamp('The last check that succeeded.'),
  },
  { title: 'VerifiedDomain', description: 'A domain whose owner names this Mark.' },
);
export type VerifiedDomain = Static<typeof VerifiedDomain>;

const common = {
  id: Uuid('The Mark.'),
  name: Type.String(),
  visibility: Visibility,
  license: License('The license of files registered under the Mark.'),
  licenseKey: LicenseKey,
  allowAiTraining: AiTraining,
  aiPreferences: AiPreferences,
  admin: Person,
  owner: NullableReference(Person.properties, 'Null when an organization owns the Mark.'),
  organization: NullableReference(
    { id: Uuid('The organization.'), name: Type.String() },
    'Null when a user owns the Mark.',
  ),
  createdAt: Timestamp('When the Mark was created.'),
  isClosed: Type.Boolean({
    description: "True when its owner's account is closed: nothing can be registered under it.",
  }),
  verifiedDomains: Type.Array(VerifiedDomain, {
    description:
      'Domains that the Mark has proven control of, oldest first. Empty: nothing about its identity is verified.',
  }),
  artifactCount: Type.Integer({ minimum: 0, description: 'Artifacts under the Mark, without failed ones.' }),
  namesakeCount: Type.Integer({
    minimum: 0,
    description: 'Other public Marks whose names look alike; at most 100. Always 0 for a private Mark.',
  }),
  representedBy: NullableReference(
    { id: Uuid('The Mark.'), name: Type.String() },
    'The Mark that represents this one by now, as its admin stated; null otherwise.',
  ),
};

export const GalleryMark = Type.Object(common, { title: 'GalleryMark' });
export type GalleryMark = Static<typeof GalleryMark>;

export const Mark = Type.Object(
  {
    ...common,
    members: Type.Array(Person, { description: 'Users with write access besides the admin and the owner.' }),
  },
  { title: 'Mark' },
);

/**
 * An authorship identity that files are registered under.
 * @example
 * ```ts
 * const isPublic = ({ visibility }: Mark) => visibility === 'public';
 * ```
 */
export type Mark = Static<typeof Mark>;

const MarkParams = Type.Object({ markId: Uuid('The Mark.') });
const MemberParams = Type.Object({ markId: Uuid('The Mark.'), userId: Uuid('The member.') });

const markName = PublicName("The Mark's name.");

export const exampleMark: GalleryMark = {
  id: exampleIds.MARK_ID,
  name: 'Ada Lovelace Photography',
  visibility: 'public',
  license: licenses['CC-BY-4.0'],
  licenseKey: 'CC-BY-4.0',
  allowAiTraining: false,
  aiPreferences: aiPreferencesOf({ allowAiTraining: false }),
  admin: exampleAuthor,
  owner: exampleAuthor,
  organization: null,
  createdAt: exampleTime,
  isClosed: false,
  verifiedDomains: [{ domain: 'lovelace.example', method: 'dns', since: exampleTime, lastChecked: exampleTime }],
  artifactCount: 12,
  namesakeCount: 0,
  representedBy: null,
};
const example: Mark = { ...exampleMark, members: [] };

const notFound = 'No such Mark.';
export const markAdminErrors = {
  FORBIDDEN: "The caller is not the Mark's admin.",
  API_KEY_ORG_MISMATCH: "The Mark does not belong to the API key's organization.",
};

export const galleryOperations = operations('Marks', {
  listGallery: {
    ...route('GET', '/api/v1/gallery/marks', 'none'),
    summary: 'Search the gallery',
    description: 'Public Marks, newest first, in pages. No token needed.',
    query: Type.Object({
      query: Type.Optional(SearchText),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Marks per page; 50 by default.' })),
      cursor: Type.Optional(Uuid('`nextCursor` of the previous page.')),
    }),
    exampleQuery: { query: 'ada', limit: '10' },
    success: ok('A page of Marks.', Type.Object({ marks: Type.Array(GalleryMark), nextCursor: NextCursor }), {
      marks: [exampleMark],
      nextCursor: null,
    }),
    hasEtag: true,
    errors: {},
  },
  listNamesakes: {
    ...route('GET', '/api/v1/public/namesakes', 'none'),
    summary: 'List Marks with a similar name',
    description:
      'Public Marks whose names look like the given one, oldest first, at most 20. A name is never refused because another ' +
      'Mark has it: compare verified domains, age and number of Artifacts. No token needed.',
    query: Type.Object({ name: DisplayName('The name to compare with.') }),
    exampleQuery: { name: 'Ada Lovelace Photography' },
    success: ok('The Marks.', Type.Object({ marks: Type.Array(GalleryMark) }), { marks: [exampleMark] }),
    hasEtag: true,
    errors: {},
  },
});

export const markOperations = operations('Marks', {
  createMark: {
    ...route('POST', '/api/v1/marks', 'bearer'),
    summary: 'Create a Mark',
    description:
      'The caller becomes its admin. With `organizationId`, the organization owns the Mark, and the caller must be its ' +
      'owner or an admin member; an API key always creates Marks for its own organization. `allowAiTraining` is true by ' +
      'default, unless `aiPreferences` are sent: uses that those leave out are not specified then.',
    body: Type.Object({
      name: markName,
      visibility: Type.Optional(Visibility),
      license: Type.Optional(LicenseKey),
      allowAiTraining: Type.Optional(AiTraining),
      aiPreferences: Type.Optional(SomeAiPreferences),
      organizationId: Type.Optional(Uuid('The organization that will own the Mark.')),
    }),
    exampleBody: { name: 'Ada Lovelace Photography', license: 'CC-BY-4.0', allowAiTraining: false },
    success: created('The Mark is created.', Mark, example, '/api/v1/marks/{id}'),
    errors: {
      FORBIDDEN: 'The caller is neither the owner nor an admin member of the organization.',
      API_KEY_ORG_MISMATCH: 'The API key belongs to another organization.',
      TIER_RESTRICTION: 'The tier does not include private Marks.',
      TIER_LIMIT_REACHED: 'The owner has reached the number of Marks that the tier allows.',
    },
  },
  listMarks: {
    ...route('GET', '/api/v1/marks', 'bearer'),
    summary: 'List your Marks',
    description:
      "Marks the caller has write access to: as admin, owner or member, or through one of the caller's organizations; " +
      'for an API key, the Marks of its organization. Changes by others may take up to 60 seconds to appear.',
    success: ok('The Marks.', Type.Array(Mark), [example]),
    errors: {},
  },
  getMark: {
    ...route('GET', '/api/v1/marks/{markId}', 'bearer'),
    summary: 'Get a Mark',
    description: 'Public Marks are visible with any token, private ones only with write access.',
    params: MarkParams,
    success: ok('The Mark.', Mark, example),
    errors: { FORBIDDEN: 'The Mark is private.', NOT_FOUND: notFound },
  },
  updateMark: {
    ...route('PUT', '/api/v1/marks/{markId}', 'bearer'),
    summary: 'Update a Mark',
    description:
      'Changes only the fields that are sent; the owner cannot be changed. Applies to responses and to what is registered ' +
      'from then on. What is published already cannot be taken back when a Mark becomes private: published files and signed ' +
      'copies keep the names of author, Mark and file, and the chain keeps its entries. Uses that `aiPreferences` leaves out ' +
      'stay as they are; Artifacts keep the preferences that they were registered with. Admin only.',
    params: MarkParams,
    body: Type.Object({
      name: Type.Optional(markName),
      visibility: Type.Optional(Visibility),
      license: Type.Optional(LicenseKey),
      allowAiTraining: Type.Optional(AiTraining),
      aiPreferences: Type.Optional(SomeAiPreferences),
      organizationId: Type.Optional(Type.Unknown({ description: 'Ignored: the owner of a Mark cannot be changed.' })),
    }),
    exampleBody: { allowAiTraining: null },
    success: ok('The updated Mark.', Mark, {
      ...example,
      allowAiTraining: null,
      aiPreferences: aiPreferencesOf({ allowAiTraining: null }),
    }),
    errors: {
      ...markAdminErrors,
      TIER_RESTRICTION: 'The tier does not include editing Marks, or private Marks.',
      NOT_FOUND: notFound,
    },
  },
  removeMarkMember: {
    ...route('DELETE', '/api/v1/marks/{markId}/members/{userId}', 'bearer'),
    summary: 'Remove a member from a Mark, or leave',
    description:
      'Artifacts registered by the member stay. For the admin, the owner of the organization, and the member.',
    params: MemberParams,
    success: noContent('The member is removed.'),
    errors: {
      BAD_REQUEST: 'The member is the admin, and hands the role over first.',
      ...markAdminErrors,
      NOT_FOUND: `${notFound} Or no such member.`,
    },
  },
  putMarkAdmin: {
    ...route('PUT', '/api/v1/marks/{markId}/admin', 'bearer'),
    summary: 'Hand over the admin role',
    description:
      'To a current member: of the organization that owns the Mark, or of a personal Mark. For the admin, and for the ' +
      'owner of the organization or of the personal Mark, who can also take the role; not with an API key. Invitations ' +
      'that the former admin made are withdrawn.',
    params: MarkParams,
    body: Type.Object({ userId: Uuid('The new admin.') }),
    exampleBody: { userId: exampleMember.id },
    success: ok('The Mark.', Mark, { ...example, admin: exampleMember }),
    errors: {
      ...markAdminErrors,
      FORBIDDEN: 'The caller is neither the admin nor the owner, or is an API key.',
      NOT_FOUND: `${notFound} Or the user is not a current member.`,
    },
  },
  putRepresentative: {
    ...route('PUT', '/api/v1/marks/{markId}/represented-by', 'bearer'),
    summary: 'State which Mark represents this one',
    description:
      'Artifacts never change their Mark. This statement is shown with the Mark and its Artifacts, and can be changed or ' +
      'removed (`null`). For the admin, who needs write access to the other Mark, which must be public.',
    params: MarkParams,
    body: Type.Object({
      representativeId: Type.Unsafe<string | null>({
        ...Uuid('The Mark that represents this one; null: none.'),
        type: ['string', 'null'],
      }),
    }),
    exampleBody: { representativeId: null },
    success: ok('The Mark.', Mark, example),
    errors: {
      BAD_REQUEST: 'It is the same Mark, or a private one.',
      ...markAdminErrors,
      FORBIDDEN: "The caller is not the Mark's admin, or has no write access to the other Mark.",
      NOT_FOUND: notFound,
    },
  },
});

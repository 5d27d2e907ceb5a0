// Marks: authorship identities, their members, and the public gallery.

import Type, { type Static } from 'typebox';
import { LicenseKey } from '../licenses.js';
import { DisplayName, EmailAddress, StringEnum } from '../text.js';
import { exampleIds, type Operation, Person, Timestamp, Uuid } from './operation.js';

const Visibility = StringEnum(['public', 'private'], {
  description: 'Public Marks appear in the gallery; private ones are visible only to users with write access.',
});
const AiTraining = Type.Unsafe<boolean | null>({
  type: ['boolean', 'null'],
  description: 'Whether files registered under the Mark may be used to train AI models; null: not specified.',
});

const common = {
  id: Uuid('The Mark.'),
  name: Type.String(),
  visibility: Visibility,
  license: Type.Object(
    { name: Type.String(), url: Type.Unsafe<string | null>({ type: ['string', 'null'] }) },
    { description: 'The license of files registered under the Mark.' },
  ),
  licenseKey: LicenseKey,
  allowAiTraining: AiTraining,
  admin: Person,
  owner: Type.Unsafe<Static<typeof Person> | null>({
    type: ['object', 'null'],
    required: ['id', 'name'],
    properties: Person.properties,
    description: 'Null when an organization owns the Mark.',
  }),
  organization: Type.Unsafe<{ id: string; name: string } | null>({
    type: ['object', 'null'],
    required: ['id', 'name'],
    properties: { id: Uuid('The organization.'), name: Type.String() },
    description: 'Null when a user owns the Mark.',
  }),
  createdAt: Timestamp('When the Mark was created.'),
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
 *
 * @example
 * ```ts
 * const isPublic = ({ visibility }: Mark) => visibility === 'public';
 * ```
 */
export type Mark = Static<typeof Mark>;

const MarkParams = Type.Object({ markId: Uuid('The Mark.') });
const MemberParams = Type.Object({ markId: Uuid('The Mark.'), userId: Uuid('The member.') });

const markName = DisplayName("The Mark's name.");

export const exampleMark: GalleryMark = {
  id: exampleIds.MARK_ID,
  name: 'Ada Lovelace Photography',
  visibility: 'public',
  license: {
    name: 'Creative Commons Attribution 4.0 International',
    url: 'https://creativecommons.org/licenses/by/4.0/',
  },
  licenseKey: 'CC-BY-4.0',
  allowAiTraining: false,
  admin: { id: exampleIds.USER_ID, name: 'Ada Lovelace' },
  owner: { id: exampleIds.USER_ID, name: 'Ada Lovelace' },
  organization: null,
  createdAt: '2026-06-01T12:00:00.000Z',
};
const example: Mark = { ...exampleMark, members: [] };
const exampleMember: Person = { id: '7b2e9c1d-4f3a-4d8b-a6e5-1c0f9d8e7b54', name: 'Bea' };

const notFound = 'No such Mark.';
const notAdmin = "The caller is not the Mark's admin.";
const otherOrganization = "The Mark does not belong to the API key's organization.";

export const createMark = {
  id: 'createMark',
  method: 'POST',
  path: '/api/v1/marks',
  tag: 'Marks',
  summary: 'Create a Mark',
  description:
    'The caller becomes its admin. With `organizationId`, the organization owns the Mark, and the caller must be its ' +
    'owner or an admin member; an API key always creates Marks for its own organization.',
  auth: 'bearer',
  body: Type.Object({
    name: markName,
    visibility: Type.Optional(Visibility),
    license: Type.Optional(LicenseKey),
    allowAiTraining: Type.Optional(AiTraining),
    organizationId: Type.Optional(Uuid('The organization that will own the Mark.')),
  }),
  exampleBody: { name: 'Ada Lovelace Photography', license: 'CC-BY-4.0', allowAiTraining: false },
  success: { status: 201, description: 'The Mark is created.', schema: Mark, example },
  errors: {
    FORBIDDEN: 'The caller is neither the owner nor an admin member of the organization.',
    API_KEY_ORG_MISMATCH: 'The API key belongs to another organization.',
    TIER_RESTRICTION: 'The tier does not include private Marks.',
    TIER_LIMIT_REACHED: 'The owner has reached the number of Marks that the tier allows.',
  },
} satisfies Operation;

export const listMarks = {
  id: 'listMarks',
  method: 'GET',
  path: '/api/v1/marks',
  tag: 'Marks',
  summary: 'List your Marks',
  description:
    "Marks the caller has write access to: as admin, owner or member, or through one of the caller's organizations; " +
    'for an API key, the Marks of its organization. Changes by others may take up to 60 seconds to appear.',
  auth: 'bearer',
  success: { status: 200, description: 'The Marks.', schema: Type.Array(Mark), example: [example] },
  errors: {},
} satisfies Operation;

export const getMark = {
  id: 'getMark',
  method: 'GET',
  path: '/api/v1/marks/{markId}',
  tag: 'Marks',
  summary: 'Get a Mark',
  description: 'Public Marks are visible with any token, private ones only with write access.',
  auth: 'bearer',
  params: MarkParams,
  success: { status: 200, description: 'The Mark.', schema: Mark, example },
  errors: { FORBIDDEN: 'The Mark is private.', NOT_FOUND: notFound },
} satisfies Operation;

export const updateMark = {
  id: 'updateMark',
  method: 'PUT',
  path: '/api/v1/marks/{markId}',
  tag: 'Marks',
  summary: 'Update a Mark',
  description: 'Changes only the fields that are sent; the owner cannot be changed. Admin only.',
  auth: 'bearer',
  params: MarkParams,
  body: Type.Object({
    name: Type.Optional(markName),
    visibility: Type.Optional(Visibility),
    license: Type.Optional(LicenseKey),
    allowAiTraining: Type.Optional(AiTraining),
  }),
  exampleBody: { allowAiTraining: null },
  success: {
    status: 200,
    description: 'The updated Mark.',
    schema: Mark,
    example: { ...example, allowAiTraining: null },
  },
  errors: {
    FORBIDDEN: notAdmin,
    API_KEY_ORG_MISMATCH: otherOrganization,
    TIER_RESTRICTION: 'The tier does not include editing Marks, or private Marks.',
    NOT_FOUND: notFound,
  },
} satisfies Operation;

export const addMarkMember = {
  id: 'addMarkMember',
  method: 'POST',
  path: '/api/v1/marks/{markId}/members',
  tag: 'Marks',
  summary: 'Add a member to a Mark',
  description: 'Gives a user with an account write access. Admin only.',
  auth: 'bearer',
  params: MarkParams,
  body: Type.Object({ email: EmailAddress }),
  exampleBody: { email: 'bea@example.com' },
  success: { status: 201, description: 'The new member.', schema: Person, example: exampleMember },
  errors: {
    FORBIDDEN: notAdmin,
    API_KEY_ORG_MISMATCH: otherOrganization,
    NOT_FOUND: `${notFound} Or no account has that email address.`,
    CONFLICT: 'That user is already the admin, the owner or a member.',
  },
} satisfies Operation;

export const removeMarkMember = {
  id: 'removeMarkMember',
  method: 'DELETE',
  path: '/api/v1/marks/{markId}/members/{userId}',
  tag: 'Marks',
  summary: 'Remove a member from a Mark',
  description: 'Artifacts registered by the member stay. Admin only.',
  auth: 'bearer',
  params: MemberParams,
  success: { status: 204, description: 'The member is removed.' },
  errors: {
    FORBIDDEN: notAdmin,
    API_KEY_ORG_MISMATCH: otherOrganization,
    NOT_FOUND: `${notFound} Or no such member.`,
  },
} satisfies Operation;

export const listGallery = {
  id: 'listGallery',
  method: 'GET',
  path: '/api/v1/gallery/marks',
  tag: 'Marks',
  summary: 'Search the gallery',
  description: 'Public Marks, newest first, in pages. No token needed.',
  auth: 'none',
  query: Type.Object({
    query: Type.Optional(
      Type.String({ maxLength: 120, pattern: '^[^\\p{Cc}\\p{Cs}]*$', description: 'Part of the name.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'Marks per page; 50 by default.' })),
    cursor: Type.Optional(Uuid('`nextCursor` of the previous page.')),
  }),
  exampleQuery: { query: 'ada', limit: '10' },
  success: {
    status: 200,
    description: 'A page of Marks.',
    schema: Type.Object({
      marks: Type.Array(GalleryMark),
      nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Null on the last page.' }),
    }),
    example: { marks: [exampleMark], nextCursor: null },
  },
  errors: {},
} satisfies Operation;

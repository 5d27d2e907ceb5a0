// Marks: authorship identities, who may write under them, and the public gallery.

import Type, { type Static } from 'typebox';
import { LicenseKey } from '../licenses.js';
import { DisplayName, EmailAddress, OneOf } from '../text.js';
import { exampleIds, type Operation, Person, Timestamp, Uuid } from './operation.js';

const Visibility = OneOf(['public', 'private'], {
  description: 'Public Marks appear in the gallery; private ones are visible to those who may write under them.',
});
const AiTraining = Type.Unsafe<boolean | null>({
  type: ['boolean', 'null'],
  description: 'Whether what is registered under the Mark may be used to train models; null: not specified.',
});

const common = {
  id: Uuid('The Mark.'),
  name: Type.String(),
  visibility: Visibility,
  license: Type.Object(
    { name: Type.String(), url: Type.Unsafe<string | null>({ type: ['string', 'null'] }) },
    { description: 'The licence of everything registered under the Mark.' },
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
  createdAt: Timestamp('When it was made.'),
};

export const GalleryMark = Type.Object(common, { title: 'GalleryMark' });
export type GalleryMark = Static<typeof GalleryMark>;

export const Mark = Type.Object(
  { ...common, members: Type.Array(Person, { description: 'Others who may write under the Mark.' }) },
  { title: 'Mark' },
);
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

const notThere = 'There is no such Mark.';
const notAdmin = "The caller is not the Mark's admin.";
const otherOrganization = "The Mark is outside the API key's organization.";

export const createMark = {
  id: 'createMark',
  method: 'POST',
  path: '/api/v1/marks',
  tag: 'Marks',
  summary: 'Make a Mark',
  description:
    'The caller becomes its admin. With `organizationId` the organization owns it, and the caller must be its owner or ' +
    'one of its admin members; an API key always makes Marks for its own organization.',
  auth: 'bearer',
  body: Type.Object({
    name: markName,
    visibility: Type.Optional(Visibility),
    license: Type.Optional(LicenseKey),
    allowAiTraining: Type.Optional(AiTraining),
    organizationId: Type.Optional(Uuid('The organization that is to own the Mark.')),
  }),
  exampleBody: { name: 'Ada Lovelace Photography', license: 'CC-BY-4.0', allowAiTraining: false },
  success: { status: 201, description: 'The Mark is made.', schema: Mark, example },
  errors: {
    FORBIDDEN: 'The caller is neither the owner nor an admin member of the organization.',
    API_KEY_ORG_MISMATCH: "The organization is not the API key's own.",
    TIER_RESTRICTION: 'The tier has no private Marks.',
    TIER_LIMIT_REACHED: 'The owner has as many Marks as the tier allows.',
  },
} satisfies Operation;

export const listMarks = {
  id: 'listMarks',
  method: 'GET',
  path: '/api/v1/marks',
  tag: 'Marks',
  summary: 'Marks I can write to',
  description:
    "Those that the caller is admin, owner or member of, and those of the caller's organizations; for an API key, those " +
    "of its organization. May be up to 60 seconds old, unless the caller's own writes have changed it.",
  auth: 'bearer',
  success: { status: 200, description: 'The Marks.', schema: Type.Array(Mark), example: [example] },
  errors: {},
} satisfies Operation;

export const getMark = {
  id: 'getMark',
  method: 'GET',
  path: '/api/v1/marks/{markId}',
  tag: 'Marks',
  summary: 'A Mark',
  description: 'Public Marks to everybody with a token, private ones to those who may write under them.',
  auth: 'bearer',
  params: MarkParams,
  success: { status: 200, description: 'The Mark.', schema: Mark, example },
  errors: { FORBIDDEN: 'The Mark is private.', NOT_FOUND: notThere },
} satisfies Operation;

export const updateMark = {
  id: 'updateMark',
  method: 'PUT',
  path: '/api/v1/marks/{markId}',
  tag: 'Marks',
  summary: 'Change a Mark',
  description: 'Only the fields that are sent change; the owner never does. Admin only.',
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
    description: 'The Mark as it is now.',
    schema: Mark,
    example: { ...example, allowAiTraining: null },
  },
  errors: {
    FORBIDDEN: notAdmin,
    API_KEY_ORG_MISMATCH: otherOrganization,
    TIER_RESTRICTION: 'The tier does not allow to change Marks, or has no private ones.',
    NOT_FOUND: notThere,
  },
} satisfies Operation;

export const addMarkMember = {
  id: 'addMarkMember',
  method: 'POST',
  path: '/api/v1/marks/{markId}/members',
  tag: 'Marks',
  summary: 'Let somebody write under a Mark',
  description: 'The person must have an account. Admin only.',
  auth: 'bearer',
  params: MarkParams,
  body: Type.Object({ email: EmailAddress }),
  exampleBody: { email: 'bea@example.com' },
  success: { status: 201, description: 'The new member.', schema: Person, example: exampleMember },
  errors: {
    FORBIDDEN: notAdmin,
    API_KEY_ORG_MISMATCH: otherOrganization,
    NOT_FOUND: `${notThere} Or nobody has that email address.`,
    CONFLICT: 'That person is the admin, the owner or a member already.',
  },
} satisfies Operation;

export const removeMarkMember = {
  id: 'removeMarkMember',
  method: 'DELETE',
  path: '/api/v1/marks/{markId}/members/{userId}',
  tag: 'Marks',
  summary: 'Remove a member of a Mark',
  description: 'What the member has registered stays. Admin only.',
  auth: 'bearer',
  params: MemberParams,
  success: { status: 204, description: 'The member is out.' },
  errors: {
    FORBIDDEN: notAdmin,
    API_KEY_ORG_MISMATCH: otherOrganization,
    NOT_FOUND: `${notThere} Or it has no such member.`,
  },
} satisfies Operation;

export const listGallery = {
  id: 'listGallery',
  method: 'GET',
  path: '/api/v1/gallery/marks',
  tag: 'Marks',
  summary: 'The gallery',
  description: 'Public Marks, newest first, a page at a time. Needs no token.',
  auth: 'none',
  query: Type.Object({
    query: Type.Optional(
      Type.String({ maxLength: 120, pattern: '^[^\\p{Cc}\\p{Cs}]*$', description: 'A part of the name.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'How many; 50 when left out.' })),
    cursor: Type.Optional(Uuid('The `nextCursor` of the page before.')),
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

// The overview of an organization: how much was registered, when, by whom and under which Mark.

import Type, { type Static } from 'typebox';
import { exampleAuthor, exampleMember, exampleTime, Nullable } from '../declarations.js';
import { exampleIds, Uuid } from '../operation.js';

/** Days in the overview, including today. */
export const OVERVIEW_DAYS = 30;
/** Marks in the overview: those with the most Artifacts. */
export const MAX_OVERVIEW_MARKS = 100;

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const LastTime = (description: string) => Nullable<string>('string', description);

const MemberCount = Type.Object(
  {
    id: Uuid('The user.'),
    name: Type.String(),
    artifacts: Count('Registered under Marks of the organization; for an owner, also with its API keys.'),
    lastActiveAt: LastTime('The last registration, or the last entry in the history; null if there is neither.'),
  },
  { title: 'MemberCount' },
);
export type MemberCount = Static<typeof MemberCount>;

const OtherCount = (description: string) =>
  Type.Object(
    { users: Count('How many users.'), artifacts: Count('What they registered under Marks of the organization.') },
    { description },
  );

const MemberCounts = Type.Object({
  members: Type.Array(MemberCount, { description: 'Current members, the owner first.' }),
  markMembers: OtherCount('Members of single Marks, who do not belong to the organization.'),
  formerMembers: OtherCount('Users who have registered files, and are members neither of it nor of its Marks now.'),
});
export type MemberCounts = Static<typeof MemberCounts>;

const MarkCount = Type.Object(
  {
    id: Uuid('The Mark.'),
    name: Type.String(),
    artifacts: Count('Without failed ones.'),
    lastRegisteredAt: LastTime('Null without Artifacts.'),
  },
  { title: 'MarkCount' },
);

export const OrganizationOverview = Type.Object(
  {
    artifacts: Type.Object(
      {
        total: Count('On chain and in progress.'),
        today: Count('Of the current UTC day.'),
        last30Days: Count('Of the days in `days`.'),
        onChain: Count('`submitted` or `confirmed`.'),
        inProgress: Count('`pending` or `submitting`.'),
        failed: Count('Not in any other count here.'),
      },
      { description: 'Artifacts under Marks of the organization. Signed copies are not counted.' },
    ),
    marks: Count('Marks of the organization.'),
    openClaims: Count('Open claims against Artifacts of its Marks.'),
    days: Type.Array(
      Type.Object({ date: Type.String({ description: 'A UTC day: `2026-06-01`.' }), artifacts: Count('On this day.') }),
      { description: `The last ${OVERVIEW_DAYS} UTC days, oldest first; the last one is today.` },
    ),
    byMark: Type.Array(MarkCount, {
      description: `By number of Artifacts; at most ${MAX_OVERVIEW_MARKS} Marks.`,
    }),
    byMember: Type.Union([MemberCounts, Type.Null()], {
      description: 'For the owner and admin members; null for other members.',
    }),
  },
  { title: 'OrganizationOverview' },
);
export type OrganizationOverview = Static<typeof OrganizationOverview>;

export const exampleOverview: OrganizationOverview = {
  artifacts: { total: 41, today: 3, last30Days: 17, onChain: 39, inProgress: 2, failed: 1 },
  marks: 1,
  openClaims: 0,
  days: [
    { date: '2026-05-31', artifacts: 14 },
    { date: '2026-06-01', artifacts: 3 },
  ],
  byMark: [{ id: exampleIds.MARK_ID, name: 'Example Studio', artifacts: 41, lastRegisteredAt: exampleTime }],
  byMember: {
    members: [
      { ...exampleAuthor, artifacts: 30, lastActiveAt: exampleTime },
      { ...exampleMember, artifacts: 6, lastActiveAt: exampleTime },
    ],
    markMembers: { users: 0, artifacts: 0 },
    formerMembers: { users: 1, artifacts: 5 },
  },
};

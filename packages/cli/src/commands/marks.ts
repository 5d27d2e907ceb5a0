// `marks`: the identities under which files are registered.

import type { Artifact, GalleryMark, Mark } from '@provenance-registry/core';
import { command, type Group } from '../command.js';
import { connect, connectLoggedIn } from '../connect.js';
import { fields, list, type Text, text } from '../text.js';
import { collectPages } from './pages.js';

const mark = { label: 'MARK', summary: 'id of the Mark' } as const;
const visibility = { kind: 'text', label: 'WHO', summary: 'who sees it', choices: ['public', 'private'] } as const;
const license = {
  kind: 'text',
  label: 'LICENCE',
  summary: 'the licence of all that is registered under it',
  choices: async () => (await import('@provenance-registry/core')).licenseKeys,
} as const;
const aiTraining = {
  kind: 'text',
  label: 'WORD',
  summary: 'whether models may be trained on it',
  choices: ['allowed', 'forbidden', 'unspecified'],
} as const;
const limit = { kind: 'integer', label: 'COUNT', summary: 'how many at most; 50 if nothing is said' } as const;
const DEFAULT_COUNT = 50;

const trainings = { allowed: true, forbidden: false, unspecified: null } as const;

const listCommand = command({
  name: 'list',
  summary: 'Marks that you can write under',
  description: 'Lists the Marks that you are admin, owner or member of, and those of your organizations.',
  examples: [{ run: 'provenance marks list', meaning: 'All of them' }],
  async run(context) {
    const marks = await (await connectLoggedIn(context)).listMarks();
    context.result(marks, marks.length > 0 ? marksList(marks) : undefined);
    if (marks.length === 0) context.hint(text`There is none yet: provenance marks create NAME makes one.`);
    return 0;
  },
});

const showCommand = command({
  name: 'show',
  summary: 'one Mark',
  description: 'Shows a Mark with its licence and its members.',
  arguments: { mark },
  examples: [{ run: 'provenance marks show "$MARK_ID"', meaning: 'A Mark' }],
  async run(context, { mark: markId }) {
    const found = await (await connectLoggedIn(context)).getMark({ markId });
    context.result(found, markFields(found));
    return 0;
  },
});

const createCommand = command({
  name: 'create',
  summary: 'make a Mark',
  description:
    'Makes a Mark, of which you become the admin. Its owner is you, or for good the organization that you name.',
  arguments: { name: { label: 'NAME', summary: 'what it is called' } },
  options: {
    visibility,
    license,
    aiTraining,
    org: { kind: 'text', label: 'ORGANIZATION', summary: 'id of the organization that is to own it' },
  },
  examples: [
    { run: 'provenance marks create "Ada Lovelace" --license CC-BY-4.0', meaning: 'A Mark of your own' },
    {
      run: 'provenance marks create Drafts --visibility private --org "$ORGANIZATION_ID"',
      meaning: 'A private one of an organization',
    },
  ],
  async run(context, { name, org, aiTraining: training, ...rest }) {
    const made = await (await connectLoggedIn(context)).createMark({
      name,
      visibility: rest.visibility,
      license: rest.license,
      allowAiTraining: training && trainings[training],
      organizationId: org,
    });
    context.result(made, markFields(made));
    return 0;
  },
});

const updateCommand = command({
  name: 'update',
  summary: 'change a Mark',
  description: 'Changes what is given, and nothing else. Admin only.',
  arguments: { mark },
  options: { name: { kind: 'text', label: 'NAME', summary: 'what it is called' }, visibility, license, aiTraining },
  examples: [
    {
      run: 'provenance marks update "$MARK_ID" --name "Ada, Countess" --license MIT',
      meaning: 'A new name and licence',
    },
  ],
  async run(context, { mark: markId, aiTraining: training, ...rest }) {
    const changed = await (await connectLoggedIn(context)).updateMark({
      markId,
      name: rest.name,
      visibility: rest.visibility,
      license: rest.license,
      allowAiTraining: training && trainings[training],
    });
    context.result(changed, markFields(changed));
    return 0;
  },
});

const artifactsCommand = command({
  name: 'artifacts',
  summary: 'what is registered under a Mark',
  description: 'Lists the Artifacts of a Mark, newest first.',
  arguments: { mark },
  options: {
    status: {
      kind: 'text',
      label: 'STATUS',
      summary: 'only those',
      choices: ['pending', 'submitting', 'submitted', 'failed'],
    },
    limit,
  },
  examples: [
    { run: 'provenance marks artifacts "$MARK_ID"', meaning: 'The newest 50' },
    { run: 'provenance marks artifacts "$MARK_ID" --status failed --limit 1000', meaning: 'Those that failed' },
  ],
  async run(context, { mark: markId, status, limit: most = DEFAULT_COUNT }) {
    const client = await connectLoggedIn(context);
    const artifacts = await collectPages(most, async (page) => {
      const { artifacts: items, nextCursor } = await client.listArtifacts({ markId, status, ...page });
      return { items, nextCursor };
    });
    context.result(artifacts, artifacts.length > 0 ? artifactList(artifacts) : undefined);
    return 0;
  },
});

const galleryCommand = command({
  name: 'gallery',
  summary: 'public Marks of everybody',
  description: 'Lists public Marks, newest first, or those with a word in their name. Needs no token.',
  arguments: { query: { label: 'WORD', summary: 'a part of the name', optional: true } },
  options: { limit },
  examples: [{ run: 'provenance marks gallery lovelace', meaning: 'Public Marks with that name' }],
  async run(context, { query, limit: most = DEFAULT_COUNT }) {
    const client = await connect(context);
    const marks = await collectPages(most, async (page) => {
      const { marks: items, nextCursor } = await client.listGallery({ query, ...page });
      return { items, nextCursor };
    });
    context.result(marks, marks.length > 0 ? marksList(marks) : undefined);
    return 0;
  },
});

const addMember = command({
  name: 'add',
  summary: 'let somebody write under a Mark',
  description: 'Takes somebody who has an account in. Admin only.',
  arguments: { mark, email: { label: 'EMAIL', summary: 'address of the account' } },
  examples: [{ run: 'provenance marks members add "$MARK_ID" bea@example.com', meaning: 'Let Bea write under it' }],
  async run(context, { mark: markId, email }) {
    const member = await (await connectLoggedIn(context)).addMarkMember({ markId, email });
    context.result(member, text`${member.name} (${member.id}) may write under the Mark.`);
    return 0;
  },
});

const removeMember = command({
  name: 'remove',
  summary: 'let somebody write no more',
  description: 'Removes a member; what the member has registered stays. Admin only.',
  arguments: { mark, user: { label: 'USER', summary: 'id of the member' } },
  examples: [{ run: 'provenance marks members remove "$MARK_ID" "$USER_ID"', meaning: 'Remove a member' }],
  async run(context, { mark: markId, user: userId }) {
    await (await connectLoggedIn(context)).removeMarkMember({ markId, userId });
    context.result({ markId, userId }, text`The member is out.`);
    return 0;
  },
});

export const marksGroup: Group = {
  name: 'marks',
  summary: 'the identities under which you register',
  description: 'Marks: the identities under which files are registered, each with its licence and those who may write.',
  commands: [
    listCommand,
    showCommand,
    createCommand,
    updateCommand,
    artifactsCommand,
    galleryCommand,
    {
      name: 'members',
      summary: 'who may write under a Mark',
      description: 'Those who may write under a Mark besides its admin and its owner.',
      commands: [addMember, removeMember],
    },
  ],
};

function marksList(marks: readonly GalleryMark[]): Text {
  return list(
    ['ID', 'NAME', 'OWNER', 'LICENCE', 'VISIBILITY'],
    marks.map((one) => [one.id, one.name, ownerOf(one), one.licenseKey, one.visibility]),
  );
}

function markFields(found: Mark): Text {
  return fields([
    ['Id', found.id],
    ['Name', found.name],
    ['Owner', ownerOf(found)],
    ['Admin', found.admin.name],
    ['Visibility', found.visibility],
    ['Licence', found.license.name],
    ['AI training', { true: 'allowed', false: 'forbidden', null: 'unspecified' }[`${found.allowAiTraining}`]],
    ...found.members.map(({ name, id }) => ['Member', text`${name} (${id})`] as const),
    ['Since', found.createdAt],
  ]);
}

function ownerOf({ owner, organization }: GalleryMark): string {
  return owner?.name ?? organization?.name ?? '';
}

function artifactList(artifacts: readonly Artifact[]): Text {
  return list(
    ['FINGERPRINT', 'STATUS', 'SINCE', 'FILE'],
    artifacts.map(({ fingerprint, status, createdAt, metadata }) => [
      fingerprint,
      status,
      createdAt,
      metadata.filename ?? '',
    ]),
  );
}

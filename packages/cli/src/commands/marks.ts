// `marks`: the authorship identities that files are registered under.

import type { Artifact, GalleryMark, Mark } from '@provenance-registry/core';
import { type CommandGroup, defineCommand } from '../command.js';
import { connect, connectLoggedIn } from '../connect.js';
import { formatFields, formatList, type Text, text } from '../text.js';
import { collectPages } from './pages.js';

const markArgument = { label: 'MARK', summary: 'Mark ID' } as const;
const visibilityOption = {
  kind: 'text',
  label: 'VISIBILITY',
  summary: 'who can see it',
  choices: ['public', 'private'],
} as const;
const licenseOption = {
  kind: 'text',
  label: 'LICENSE',
  summary: 'license of the files registered under it',
  choices: async () => (await import('@provenance-registry/core')).licenseKeys,
} as const;
const aiTrainingOption = {
  kind: 'text',
  label: 'PREFERENCE',
  summary: 'whether AI models may be trained on the files',
  choices: ['allowed', 'forbidden', 'unspecified'],
} as const;
const limitOption = { kind: 'integer', label: 'COUNT', summary: 'maximum number of results (default: 50)' } as const;
const DEFAULT_LIMIT = 50;

const aiTrainingValues = { allowed: true, forbidden: false, unspecified: null } as const;

const listCommand = defineCommand({
  name: 'list',
  summary: 'list the Marks you can register under',
  description: 'Lists the Marks that you own, administer or are a member of, and those of your organizations.',
  examples: [{ run: 'provenance marks list', meaning: 'Your Marks' }],
  async run(context) {
    const marks = await (await connectLoggedIn(context)).listMarks();
    context.printResult(marks, marks.length > 0 ? formatMarkList(marks) : undefined);
    if (marks.length === 0)
      context.printHint(text`You have no Marks yet. Create one with 'provenance marks create NAME'.`);
    return 0;
  },
});

const showCommand = defineCommand({
  name: 'show',
  summary: 'show a Mark',
  description: 'Shows a Mark with its license and members.',
  arguments: { mark: markArgument },
  examples: [{ run: 'provenance marks show "$MARK_ID"', meaning: 'Show a Mark' }],
  async run(context, { mark: markId }) {
    const details = await (await connectLoggedIn(context)).getMark({ markId });
    context.printResult(details, formatMark(details));
    return 0;
  },
});

const createCommand = defineCommand({
  name: 'create',
  summary: 'create a Mark',
  description: 'Creates a Mark with you as its admin. It is owned by you, or permanently by the given organization.',
  arguments: { name: { label: 'NAME', summary: 'name of the Mark' } },
  options: {
    visibility: visibilityOption,
    license: licenseOption,
    aiTraining: aiTrainingOption,
    org: { kind: 'text', label: 'ORGANIZATION', summary: 'ID of the organization that owns it' },
  },
  examples: [
    { run: 'provenance marks create "Ada Lovelace" --license CC-BY-4.0', meaning: 'Create a Mark that you own' },
    {
      run: 'provenance marks create Drafts --visibility private --org "$ORGANIZATION_ID"',
      meaning: 'Create a private Mark owned by an organization',
    },
  ],
  async run(context, { name, visibility, license, aiTraining, org }) {
    const created = await (await connectLoggedIn(context)).createMark({
      name,
      visibility,
      license,
      allowAiTraining: aiTraining && aiTrainingValues[aiTraining],
      organizationId: org,
    });
    context.printResult(created, formatMark(created));
    return 0;
  },
});

const updateCommand = defineCommand({
  name: 'update',
  summary: 'update a Mark',
  description: 'Changes the given fields of a Mark. Admins only.',
  arguments: { mark: markArgument },
  options: {
    name: { kind: 'text', label: 'NAME', summary: 'new name' },
    visibility: visibilityOption,
    license: licenseOption,
    aiTraining: aiTrainingOption,
  },
  examples: [
    {
      run: 'provenance marks update "$MARK_ID" --name "Ada, Countess" --license MIT',
      meaning: 'Change the name and license',
    },
  ],
  async run(context, { mark: markId, name, visibility, license, aiTraining }) {
    const updated = await (await connectLoggedIn(context)).updateMark({
      markId,
      name,
      visibility,
      license,
      allowAiTraining: aiTraining && aiTrainingValues[aiTraining],
    });
    context.printResult(updated, formatMark(updated));
    return 0;
  },
});

const artifactsCommand = defineCommand({
  name: 'artifacts',
  summary: 'list the files registered under a Mark',
  description: 'Lists the Artifacts (registered files) of a Mark, newest first.',
  arguments: { mark: markArgument },
  options: {
    status: {
      kind: 'text',
      label: 'STATUS',
      summary: 'only Artifacts with this status',
      choices: ['pending', 'submitting', 'submitted', 'failed'],
    },
    limit: limitOption,
  },
  examples: [
    { run: 'provenance marks artifacts "$MARK_ID"', meaning: 'The 50 newest Artifacts' },
    { run: 'provenance marks artifacts "$MARK_ID" --status failed --limit 1000', meaning: 'Failed Artifacts' },
  ],
  async run(context, { mark: markId, status, limit = DEFAULT_LIMIT }) {
    const client = await connectLoggedIn(context);
    const artifacts = await collectPages(limit, async (page) => {
      const { artifacts: items, nextCursor } = await client.listArtifacts({ markId, status, ...page });
      return { items, nextCursor };
    });
    context.printResult(artifacts, artifacts.length > 0 ? formatArtifactList(artifacts) : undefined);
    return 0;
  },
});

const galleryCommand = defineCommand({
  name: 'gallery',
  summary: 'list public Marks',
  description: 'Lists public Marks, newest first, optionally filtered by name. No login required.',
  arguments: { query: { label: 'QUERY', summary: 'part of the name', optional: true } },
  options: { limit: limitOption },
  examples: [{ run: 'provenance marks gallery lovelace', meaning: 'Search public Marks by name' }],
  async run(context, { query, limit = DEFAULT_LIMIT }) {
    const client = await connect(context);
    const marks = await collectPages(limit, async (page) => {
      const { marks: items, nextCursor } = await client.listGallery({ query, ...page });
      return { items, nextCursor };
    });
    context.printResult(marks, marks.length > 0 ? formatMarkList(marks) : undefined);
    return 0;
  },
});

const addMemberCommand = defineCommand({
  name: 'add',
  summary: 'add a member',
  description: 'Allows a user to register files under the Mark. Admins only.',
  arguments: { mark: markArgument, email: { label: 'EMAIL', summary: 'email address of the account' } },
  examples: [
    { run: 'provenance marks members add "$MARK_ID" bea@example.com', meaning: 'Allow Bea to register under the Mark' },
  ],
  async run(context, { mark: markId, email }) {
    const member = await (await connectLoggedIn(context)).addMarkMember({ markId, email });
    context.printResult(member, text`Added ${member.name} (${member.id}) to the Mark.`);
    return 0;
  },
});

const removeMemberCommand = defineCommand({
  name: 'remove',
  summary: 'remove a member',
  description: 'Removes a member from the Mark. Files the member has registered stay registered. Admins only.',
  arguments: { mark: markArgument, user: { label: 'USER', summary: 'user ID of the member' } },
  examples: [{ run: 'provenance marks members remove "$MARK_ID" "$USER_ID"', meaning: 'Remove a member' }],
  async run(context, { mark: markId, user: userId }) {
    await (await connectLoggedIn(context)).removeMarkMember({ markId, userId });
    context.printResult({ markId, userId }, text`Member removed.`);
    return 0;
  },
});

export const marksGroup: CommandGroup = {
  name: 'marks',
  summary: 'manage the identities you register under',
  description: 'Manages Marks: the authorship identities that files are registered under.',
  commands: [
    listCommand,
    showCommand,
    createCommand,
    updateCommand,
    artifactsCommand,
    galleryCommand,
    {
      name: 'members',
      summary: 'manage members of a Mark',
      description: 'Manages the users who may register under a Mark besides its admin and owner.',
      commands: [addMemberCommand, removeMemberCommand],
    },
  ],
};

function formatMarkList(marks: readonly GalleryMark[]): Text {
  return formatList(
    ['ID', 'NAME', 'OWNER', 'LICENSE', 'VISIBILITY'],
    marks.map((item) => [item.id, item.name, ownerName(item), item.licenseKey, item.visibility]),
  );
}

function formatMark(details: Mark): Text {
  return formatFields([
    ['ID', details.id],
    ['Name', details.name],
    ['Owner', ownerName(details)],
    ['Admin', details.admin.name],
    ['Visibility', details.visibility],
    ['License', details.license.name],
    ['AI training', { true: 'allowed', false: 'forbidden', null: 'unspecified' }[`${details.allowAiTraining}`]],
    ...details.members.map(({ name, id }) => ['Member', text`${name} (${id})`] as const),
    ['Created', details.createdAt],
  ]);
}

function ownerName({ owner, organization }: GalleryMark): string {
  return owner?.name ?? organization?.name ?? '';
}

function formatArtifactList(artifacts: readonly Artifact[]): Text {
  return formatList(
    ['FINGERPRINT', 'STATUS', 'REGISTERED', 'FILE'],
    artifacts.map(({ fingerprint, status, createdAt, metadata }) => [
      fingerprint,
      status,
      createdAt,
      metadata.filename ?? '',
    ]),
  );
}

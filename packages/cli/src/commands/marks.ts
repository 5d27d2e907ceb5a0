// `mark`: the authorship identities that files are registered under.

import type { RegistryClient } from '@provenance-registry/client';
import { defineApiCommand } from '../apiCommand.js';
import { type CommandGroup, defineCommand } from '../command.js';
import { yesOption } from '../confirmation.js';
import { connectLoggedIn } from '../connect.js';
import { findId, markArgument, organizationArgument } from '../names.js';
import { formatList, text } from '../text.js';
import { aiUseOption, parseAiUses } from './aiUses.js';
import { domainGroup, namesakesCommand, representedByCommand } from './markIdentity.js';
import { markLookalikesCommand } from './markLookalikes.js';
import { formatMark, formatMarkList, warnOfNamesakes } from './markText.js';
import { defineListCommand, pageOptions } from './pages.js';

const aiTrainingValues = { allowed: true, forbidden: false, unspecified: null } as const;
const markOptions = {
  visibility: { label: 'VISIBILITY', summary: 'who can see it', choices: ['public', 'private'] },
  license: {
    label: 'LICENSE',
    summary: 'license of the files registered under it',
    choices: async () => (await import('@provenance-registry/core')).licenseKeys,
  },
  aiTraining: {
    label: 'PREFERENCE',
    summary: 'whether AI models may be trained on the files; sets all uses',
    choices: ['allowed', 'forbidden', 'unspecified'],
  },
  aiUse: aiUseOption,
} as const;

const listCommand = defineCommand({
  name: 'list',
  summary: 'list the Marks you can register under',
  description: 'Lists the Marks that you own, administer or are a member of, and those of your organizations.',
  examples: { 'provenance mark list': 'Your Marks' },
  async run(context) {
    const marks = await (await connectLoggedIn(context)).listMarks();
    context.printResult(marks, await formatMarkList(marks));
    if (marks.length === 0)
      context.printHint(text`You have no Marks yet. Create one with 'provenance mark create NAME'.`);
  },
});

const showCommand = defineApiCommand({
  name: 'show',
  summary: 'show a Mark',
  description: 'Shows a Mark with its verified domains, license and members.',
  arguments: { markId: markArgument },
  examples: { 'provenance mark show "$MARK_ID"': 'Show a Mark' },
  request: (client, { markId }) => client.getMark({ markId }),
  format: formatMark,
});

const createCommand = defineApiCommand({
  name: 'create',
  summary: 'create a Mark',
  description:
    'Creates a Mark with you as its admin. It is owned by you, or permanently by the given organization. No name is refused ' +
    'because another Mark has a similar one, but you are warned.',
  arguments: { name: { label: 'NAME', summary: 'name of the Mark' } },
  options: { ...markOptions, org: { ...organizationArgument, summary: 'name or ID of the organization that owns it' } },
  examples: {
    'provenance mark create "Ada Lovelace" --license CC-BY-4.0': 'Create a Mark that you own',
    'provenance mark create "Analytical Engine" --ai-training forbidden --ai-use data_mining=allowed':
      'Create a Mark whose files may be mined, but not used to train AI models',
    'provenance mark create Drafts --visibility private --org "$ORGANIZATION_ID"':
      'Create a private Mark owned by an organization',
  },
  async request(client, { name, visibility, license, aiTraining, aiUse, org: organizationId }) {
    const allowAiTraining = aiTraining && aiTrainingValues[aiTraining];
    const aiPreferences = await parseAiUses(aiUse);
    return client.createMark({ name, visibility, license, allowAiTraining, aiPreferences, organizationId });
  },
  warn: warnOfNamesakes,
  format: formatMark,
});

const updateCommand = defineApiCommand({
  name: 'update',
  summary: 'update a Mark',
  description:
    'Changes the given fields of a Mark. Admins only. Files that are registered already keep what was signed with them; ' +
    'making a Mark private cannot take back what is published.',
  arguments: { markId: markArgument },
  options: { name: { label: 'NAME', summary: 'new name' }, ...markOptions, yes: yesOption },
  examples: {
    'provenance mark update "$MARK_ID" --name "Ada, Countess" --license MIT': 'Change the name and license',
    'provenance mark update "$MARK_ID" --ai-use "ai_training=constrained:Ask licensing@example.com"':
      'Allow one use under conditions',
  },
  confirm: (_client, { visibility }) =>
    visibility === 'private'
      ? {
          consequences:
            'Other users no longer see the Mark, and files that are registered from now on are published without names. ' +
            'What is published already cannot be taken back: manifests, reports and cards keep the names of the Mark, the ' +
            'author and the files, entries on chain stay linked to the author, and others may have copies.',
          question: 'Make the Mark private?',
        }
      : undefined,
  async request(client, { markId, name, visibility, license, aiTraining, aiUse }) {
    const allowAiTraining = aiTraining && aiTrainingValues[aiTraining];
    const aiPreferences = await parseAiUses(aiUse);
    return client.updateMark({ markId, name, visibility, license, allowAiTraining, aiPreferences });
  },
  warn: async (mark, { name }) => (name === undefined ? undefined : warnOfNamesakes(mark)),
  format: formatMark,
});

const artifactsCommand = defineListCommand({
  name: 'artifacts',
  summary: 'list the files registered under a Mark',
  description: 'Lists the Artifacts (registered files) of a Mark, newest first.',
  arguments: { markId: markArgument },
  options: {
    status: {
      label: 'STATUS',
      summary: 'only Artifacts with this status',
      choices: ['pending', 'submitting', 'submitted', 'failed'],
    },
    ...pageOptions,
  },
  examples: {
    'provenance mark artifacts "$MARK_ID"': 'The 50 newest Artifacts',
    'provenance mark artifacts "$MARK_ID" --status failed --all': 'Failed Artifacts',
  },
  field: 'artifacts',
  fetchPage: (client, { markId, status }, page) => client.listArtifacts({ markId, status, ...page }),
  countAll: async (client, { markId, status }) =>
    status === undefined ? (await client.getMark({ markId })).artifactCount : undefined,
  format: (artifacts) =>
    formatList(
      ['FINGERPRINT', 'STATUS', 'REGISTERED', 'FILE'],
      artifacts.map((item) => [item.fingerprint, item.status, item.createdAt, item.metadata.filename ?? '']),
    ),
});

const galleryCommand = defineListCommand({
  name: 'gallery',
  summary: 'list public Marks',
  description: 'Lists public Marks, newest first, optionally filtered by name. No login required.',
  arguments: { query: { label: 'QUERY', summary: 'part of the name', optional: true } },
  options: pageOptions,
  examples: { 'provenance mark gallery lovelace': 'Search public Marks by name' },
  isPublic: true,
  field: 'marks',
  fetchPage: (client, { query }, page) => client.listGallery({ query, ...page }),
  format: formatMarkList,
});

function findMemberId(client: RegistryClient, markId: string, given: string): Promise<string> {
  return findId(given, 'members', async () => (await client.getMark({ markId })).members);
}

const removeMemberCommand = defineApiCommand({
  name: 'remove',
  summary: 'remove a member',
  description:
    "Removes a member from the Mark. Files the member has registered stay registered. For the Mark's admin, and for the " +
    'owner of its organization.',
  arguments: { markId: markArgument, user: { label: 'USER', summary: 'name or ID of the member' } },
  options: { yes: yesOption },
  examples: { 'provenance mark member remove "$MARK_ID" "$USER_ID" --yes': 'Remove a member' },
  confirm: async (client, { markId, user }) => {
    const { name, members } = await client.getMark({ markId });
    const member = members.find(({ id }) => id === user.toLowerCase())?.name ?? user;
    return {
      consequences: 'The member can no longer register files under the Mark. Registered files stay registered.',
      question: `Remove ${member} from ${name}?`,
    };
  },
  async request(client, { markId, user }) {
    const userId = await findMemberId(client, markId, user);
    await client.removeMarkMember({ markId, userId });
    return { markId, userId };
  },
  format: () => text`Member removed.`,
});

const membersGroup: CommandGroup = {
  name: 'member',
  summary: 'manage members of a Mark',
  description: 'Manages the users who may register under a Mark besides its admin and owner.',
  commands: [removeMemberCommand],
};

const leaveCommand = defineApiCommand({
  name: 'leave',
  summary: 'leave a Mark',
  description: 'Leaves a Mark that you are a member of. Its admin hands the role over first.',
  arguments: { markId: markArgument },
  options: { yes: yesOption },
  examples: { 'provenance mark leave "$MARK_ID" --yes': 'Leave a Mark' },
  confirm: async (client, { markId }) => ({
    consequences:
      'You can no longer register files under the Mark, and can return only by another invitation. Files that you ' +
      'registered stay registered.',
    question: `Leave ${(await client.getMark({ markId })).name}?`,
  }),
  async request(client, { markId }) {
    const { user } = await client.getMe();
    await client.removeMarkMember({ markId, userId: user.id });
    return { markId };
  },
  format: () => text`You left the Mark.`,
});

const handOverCommand = defineApiCommand({
  name: 'hand-over',
  summary: 'hand over the admin role',
  description:
    "Makes a current member the Mark's admin. For the admin, and for the owner of the organization or of the personal " +
    'Mark, who can also take the role; with a login, not with an API key.',
  arguments: { markId: markArgument, user: { label: 'USER', summary: 'name or ID of the new admin' } },
  options: { yes: yesOption },
  examples: { 'provenance mark hand-over "$MARK_ID" "$USER_ID" --yes': 'Make a member the admin' },
  confirm: async (client, { markId }) => {
    const { name, admin } = await client.getMark({ markId });
    return {
      consequences: `${admin.name} is no longer the admin of the Mark: only the new admin and its owner can change it.`,
      question: `Hand over ${name}?`,
    };
  },
  request: async (client, { markId, user }) =>
    client.putMarkAdmin({ markId, userId: await findMemberId(client, markId, user) }),
  format: formatMark,
});

export const markGroup: CommandGroup = {
  name: 'mark',
  summary: 'manage the identities you register under',
  description: 'Manages Marks: the authorship identities that files are registered under.',
  commands: [
    listCommand,
    showCommand,
    createCommand,
    updateCommand,
    artifactsCommand,
    markLookalikesCommand,
    galleryCommand,
    namesakesCommand,
    domainGroup,
    representedByCommand,
    membersGroup,
    leaveCommand,
    handOverCommand,
  ],
};

// `list`: the caller's own Artifacts across Marks.

import { defineApiCommand } from '../apiCommand.js';
import { formatList } from '../text.js';
import { collectPages } from './pages.js';

const DEFAULT_LIMIT = 50;

export const listCommand = defineApiCommand({
  name: 'list',
  summary: 'list the files registered under your Marks',
  description:
    'Lists the Artifacts (registered files) of all Marks that you can register under, newest first unless --sort says otherwise. Options can be combined.',
  options: {
    mark: { label: 'MARK', summary: 'only files of the Mark with this ID' },
    status: {
      label: 'STATUS',
      summary: 'only Artifacts with this status',
      choices: ['pending', 'submitting', 'submitted', 'failed'],
    },
    kind: {
      label: 'KIND',
      summary: 'only files of this kind',
      choices: ['image', 'audio', 'video', 'document', 'other'],
    },
    name: { label: 'TEXT', summary: 'only files with this text in their name, in upper or lower case' },
    from: { label: 'TIME', summary: 'only files registered at this time or later, such as 2026-01-31' },
    to: { label: 'TIME', summary: 'only files registered before this time' },
    sort: { label: 'ORDER', summary: 'order of the list (default: newest)', choices: ['newest', 'oldest', 'name'] },
    limit: { kind: 'integer', label: 'COUNT', summary: 'maximum number of results (default: 50)' },
  },
  examples: {
    'provenance list --name photo': 'Your files with "photo" in their name',
    'provenance list --sort name --limit 1000': 'Your files by name',
    'provenance list --from 2026-01-01 --status failed --limit 1000': 'Failed registrations of this year',
  },
  request: (client, { mark: markId, limit = DEFAULT_LIMIT, ...filters }) =>
    collectPages('artifacts', limit, (page) => client.listOwnArtifacts({ markId, ...filters, ...page })),
  format: (artifacts) =>
    formatList(
      ['FINGERPRINT', 'STATUS', 'REGISTERED', 'MARK', 'FILE'],
      artifacts.map(({ fingerprint, status, createdAt, mark, metadata }) => [
        fingerprint,
        status,
        createdAt,
        'name' in mark ? mark.name : mark.id,
        metadata.filename ?? '',
      ]),
    ),
});

// `file list`: the caller's own Artifacts across Marks.

import { markArgument } from '../names.js';
import { formatList } from '../text.js';
import { defineListCommand, pageOptions } from './pages.js';

export const listCommand = defineListCommand({
  name: 'list',
  summary: 'list the files registered under your Marks',
  description:
    'Lists the Artifacts (registered files) of all Marks that you can register under, newest first unless --sort says ' +
    'otherwise. Options can be combined.',
  options: {
    mark: { ...markArgument, summary: 'only files of the Mark with this name or ID' },
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
    ...pageOptions,
  },
  examples: {
    'provenance file list --name photo': 'Your files with "photo" in their name',
    'provenance file list --sort name --all': 'Your files by name',
    'provenance file list --from 2026-01-01 --status failed --all': 'Failed registrations of this year',
  },
  field: 'artifacts',
  fetchPage: (client, { mark: markId, status, kind, name, from, to, sort }, page) =>
    client.listOwnArtifacts({ markId, status, kind, name, from, to, sort, ...page }),
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

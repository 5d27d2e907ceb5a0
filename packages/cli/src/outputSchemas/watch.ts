// The outputs of commands about watched folders.

import { exampleIds } from '@provenance-registry/core';
import Type from 'typebox';
import { WatcherStatus } from '../watch/status.js';
import { type CommandOutput, Count, Flag, Text } from './common.js';
import { RegisteredFile, Registration } from './files.js';

const Unit = Type.Object(
  {
    profile: Type.String(),
    unit: Text('The name of the systemd unit.'),
    file: Text('The path of the unit file.'),
    isChanged: Flag('Whether the file was written or removed.'),
  },
  { title: 'WatcherUnit' },
);
const unit = {
  profile: 'default',
  unit: 'provenance.service',
  file: '/home/ada/.config/systemd/user/provenance.service',
  isChanged: true,
};
const Stopped = Type.Object({ profile: Type.String(), status: Text('`stopped`, when the watcher ends.') });
const removedFolder = { profile: 'default', folder: '/home/ada/photos' };

export const watchOutputs: Readonly<Record<string, CommandOutput>> = {
  'watch add': {
    schema: Type.Object(
      {
        profile: Type.String(),
        folder: Text('Its absolute path.'),
        mark: Text('The ID of the Mark.'),
        authorshipStated: Flag('Whether authorship is stated with each registration.'),
        ignore: Type.Array(Type.String()),
        sendsCodes: Flag('Whether codes for finding look-alikes are sent under a public Mark.'),
        files: Count('Files that are in it now.'),
      },
      { title: 'AddedFolder' },
    ),
    example: {
      ...removedFolder,
      mark: exampleIds.MARK_ID,
      authorshipStated: true,
      ignore: ['*.xmp'],
      sendsCodes: true,
      files: 412,
    },
  },
  'watch remove': {
    schema: Type.Object({ profile: Type.String(), folder: Text('Its absolute path.') }, { title: 'RemovedFolder' }),
    example: removedFolder,
  },
  'watch status': {
    schema: WatcherStatus,
    example: {
      service: 'not-running',
      profile: 'default',
      pid: null,
      startedAt: null,
      reportedAt: null,
      loginExpiresAt: null,
      pause: null,
      folders: [],
    },
  },
  'watch install': { schema: Unit, example: unit },
  'watch uninstall': { schema: Unit, example: unit },
  'watch run': {
    schema: Type.Union([Stopped, Registration]),
    lineSchema: Type.Union([Stopped, RegisteredFile]),
    example: { profile: 'default', status: 'stopped' },
  },
};

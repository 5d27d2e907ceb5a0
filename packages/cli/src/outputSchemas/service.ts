// The outputs of commands about watched folders. `status` is with the commands about files.

import { exampleIds } from '@provenance-registry/core';
import Type from 'typebox';
import { type CommandOutput, Count, Flag, Text } from './common.js';

const Unit = Type.Object(
  {
    profile: Type.String(),
    unit: Text('The name of the systemd unit.'),
    file: Text('The path of the unit file.'),
    isChanged: Flag('Whether the file was written or removed.'),
  },
  { title: 'ServiceUnit' },
);
const unit = {
  profile: 'default',
  unit: 'provenance.service',
  file: '/home/ada/.config/systemd/user/provenance.service',
  isChanged: true,
};
const removedFolder = { profile: 'default', folder: '/home/ada/photos' };

export const serviceOutputs: Readonly<Record<string, CommandOutput>> = {
  'service add': {
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
  'service remove': {
    schema: Type.Object({ profile: Type.String(), folder: Text('Its absolute path.') }, { title: 'RemovedFolder' }),
    example: removedFolder,
  },
  'service install': { schema: Unit, example: unit },
  'service uninstall': { schema: Unit, example: unit },
  'service run': {
    schema: Type.Object({ profile: Type.String(), status: Text('`stopped`, when the service ends.') }),
    example: { profile: 'default', status: 'stopped' },
  },
};

// `service`: watches folders and registers their files, in one process that can be left running.

import { authorshipOption } from '../authorship.js';
import { markOption } from '../chooseMark.js';
import { type CommandGroup, defineCommand } from '../command.js';

const folderArgument = { label: 'FOLDER', summary: 'folder to watch', completion: 'files' } as const;

const addCommand = defineCommand({
  name: 'add',
  summary: 'watch a folder',
  description:
    'Adds a folder to those that the service watches, with its own Mark, statement of authorship and ignore rules, or ' +
    'changes these. All its files are registered, also those that are there already. Of nested folders, the innermost ' +
    'decides about its files. A running service follows without a restart.',
  arguments: { folder: folderArgument },
  options: {
    mark: markOption,
    authorship: {
      ...authorshipOption,
      summary: `${authorshipOption.summary} (default: ask in a terminal, otherwise not-stated)`,
    },
    ignore: {
      label: 'PATTERN',
      many: true,
      summary: 'skip matching files, as in .gitignore; hidden files are skipped by default',
    },
    noCodes: {
      kind: 'flag',
      summary: 'do not send the codes by which look-alikes of images and recordings are found',
    },
  },
  examples: {
    'provenance service add photos --mark "$MARK_ID" --authorship stated': 'Watch a folder of your own work',
    "provenance service add photos --ignore '*.xmp' --ignore drafts/": 'Skip some of the files',
  },
  async run(context, options) {
    const { addFolder } = await import('../watch/configure.js');
    await addFolder(context, options);
  },
});

const removeCommand = defineCommand({
  name: 'remove',
  summary: 'stop watching a folder',
  description: 'Removes a folder from those that the service watches. What is registered stays registered.',
  arguments: { folder: { ...folderArgument, summary: 'watched folder' } },
  examples: { 'provenance service remove photos': 'Stop watching a folder' },
  async run(context, { folder }) {
    const { removeFolder } = await import('../watch/configure.js');
    await removeFolder(context, folder);
  },
});

const installCommand = defineCommand({
  name: 'install',
  summary: 'run the service in the background (systemd)',
  description:
    'Writes, enables and starts a systemd user unit that runs the service for the profile. Can be repeated, for example ' +
    'after an update of Node. URL and token must be saved in the profile. macOS and Windows: see the documentation of ' +
    'watched folders.',
  examples: { 'provenance service install': 'Run the service whenever you are logged in' },
  async run(context) {
    const { installUnit } = await import('../watch/systemd.js');
    await installUnit(context);
  },
});

const uninstallCommand = defineCommand({
  name: 'uninstall',
  summary: 'stop the service and remove its systemd unit',
  description: 'Stops, disables and removes the systemd user unit. The watched folders stay in the configuration.',
  examples: { 'provenance service uninstall': 'Run the service no longer' },
  async run(context) {
    const { uninstallUnit } = await import('../watch/systemd.js');
    await uninstallUnit(context);
  },
});

const runCommand = defineCommand({
  name: 'run',
  summary: 'watch all folders until stopped',
  description:
    'Watches all folders of the profile in one process, and registers new and changed files once they are complete, until ' +
    'Ctrl-C. Waits while the registry does not respond, a limit is reached or the login is not valid. This is what the ' +
    'installed unit runs. Exit code 3: the service already runs.',
  examples: { 'provenance service run': 'Watch the folders in this terminal' },
  finishesOnInterrupt: true,
  async run(context) {
    const { runService } = await import('../watch/run.js');
    await runService(context);
  },
});

export const serviceGroup: CommandGroup = {
  name: 'service',
  summary: 'watch folders and register what is added',
  description:
    "Watches folders and registers the files that are added to them. 'provenance status' shows what it does and what " +
    'needs your attention.',
  commands: [addCommand, removeCommand, installCommand, uninstallCommand, runCommand],
};

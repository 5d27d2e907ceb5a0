// `watch`: watches folders and registers their files, in one process that can be left running.

import { type CommandGroup, defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import type { Value } from '../options.js';
import { registerArguments, registerOptions } from '../register/options.js';

const { dryRun: _dryRun, newMark: _newMark, ...runOptions } = registerOptions;
const { mark, authorship, ignore, noCodes } = runOptions;
const folderArgument = { label: 'FOLDER', summary: 'folder to watch', completion: 'files' } as const;

const addCommand = defineCommand({
  name: 'add',
  summary: 'watch a folder',
  description:
    'Adds a folder to the watched folders, with its own Mark, statement of authorship and ignore rules, or ' +
    'changes these. All its files are registered, also those that are there already. Of nested folders, the innermost ' +
    'decides about its files. A running watcher follows without a restart.',
  arguments: { folder: folderArgument },
  options: { mark, authorship, ignore, noCodes },
  examples: {
    'provenance watch add photos --mark "$MARK_ID" --authorship stated': 'Watch a folder of your own work',
    "provenance watch add photos --ignore '*.xmp' --ignore drafts/": 'Skip some of the files',
  },
  async run(context, options) {
    const { addFolder } = await import('../watch/configure.js');
    await addFolder(context, options);
  },
});

const removeCommand = defineCommand({
  name: 'remove',
  summary: 'stop watching a folder',
  description: 'Removes a folder from the watched ones. What is registered stays registered.',
  arguments: { folder: { ...folderArgument, summary: 'watched folder' } },
  examples: { 'provenance watch remove photos': 'Stop watching a folder' },
  async run(context, { folder }) {
    const { removeFolder } = await import('../watch/configure.js');
    await removeFolder(context, folder);
  },
});

const installCommand = defineCommand({
  name: 'install',
  summary: 'run the watcher in the background (systemd)',
  description:
    'Writes, enables and starts a systemd user unit that runs the watcher for the profile. Can be repeated, for example ' +
    'after an update of Node. URL and token must be saved in the profile. macOS and Windows: see the documentation of ' +
    'watched folders.',
  examples: { 'provenance watch install': 'Watch whenever you are logged in' },
  async run(context) {
    const { installUnit } = await import('../watch/systemd.js');
    await installUnit(context);
  },
});

const uninstallCommand = defineCommand({
  name: 'uninstall',
  summary: 'stop the watcher and remove its systemd unit',
  description: 'Stops, disables and removes the systemd user unit. The watched folders stay in the configuration.',
  examples: { 'provenance watch uninstall': 'Stop watching in the background' },
  async run(context) {
    const { uninstallUnit } = await import('../watch/systemd.js');
    await uninstallUnit(context);
  },
});

const runCommand = defineCommand({
  name: 'run',
  summary: 'watch folders until stopped',
  description:
    'Watches all folders of the profile in one process, and registers new and changed files once they are complete, until ' +
    'Ctrl-C. Waits while the registry does not respond, a limit is reached or the login is not valid. This is what the ' +
    'installed unit runs. With PATH, watches these files and folders instead, with the options given here. Exit code 3: ' +
    'the watcher already runs.',
  arguments: { paths: { ...registerArguments.paths, summary: 'files and folders to watch instead', optional: true } },
  options: runOptions,
  examples: {
    'provenance watch run': 'Watch the folders of the profile in this terminal',
    'provenance watch run photos --versions': 'Watch one folder, and register changed files as new versions',
  },
  finishesOnInterrupt: true,
  async run(context, { paths, ...options }) {
    if (paths.length > 0) {
      const { runRegister } = await import('../register/run.js');
      return runRegister(context, { ...options, paths, newMark: undefined, dryRun: false, watch: true });
    }
    const isGiven = (value: Value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
    if (Object.entries(options).some(([name, value]) => name in runOptions && isGiven(value)))
      throw new UsageError("Options require PATH. 'provenance watch add' changes those of a folder of the profile.");
    const { runWatcher } = await import('../watch/run.js');
    await runWatcher(context);
    return 0;
  },
});

const statusCommand = defineCommand({
  name: 'status',
  summary: 'show what the watcher does',
  description:
    'Shows whether the watcher runs, and what it registered, waits for and could not register. Exit code 1: it does not ' +
    'run, or something needs your attention. 3: it runs, but does not report.',
  examples: { 'provenance watch status': 'State of the watcher and of each folder' },
  async run(context) {
    const { showWatcherStatus } = await import('../watch/status.js');
    return showWatcherStatus(context);
  },
});

export const watchGroup: CommandGroup = {
  name: 'watch',
  summary: 'watch folders and register what is added',
  description:
    "Watches folders and registers the files that are added to them. 'provenance watch status' shows what the watcher " +
    'does and what needs your attention.',
  commands: [addCommand, removeCommand, statusCommand, runCommand, installCommand, uninstallCommand],
};

// `log monitor`: finds out whether the public log of a registry contradicts itself, or what others and the registry say.

import { defineCommand } from '../command.js';
import { UsageError } from '../errors.js';
import { intervalOptions, readIntervalMs } from './logInterval.js';

const MARK_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const monitorCommand = defineCommand({
  name: 'monitor',
  summary: 'watch a public log for contradictions',
  description:
    'Follows the public log of a registry, and computes the root of each checkpoint again from all leaves. Each checkpoint has to ' +
    'extend the one that was seen before, and those of the mirrors and witnesses that are named. Each leaf has to be as old as it ' +
    'says, and to have its Artifact and its manifest at the service; each Artifact of the signed downloads, and with --rpc-url each entry on chain, needs a leaf, and each anchor has to be a head of the log. ' +
    'A contradiction is saved with what proves it, such as both signed checkpoints, in the folder evidence below --folder. ' +
    'What was seen is remembered in the folder: keep it. With --mark, lists the new registrations under a Mark, as far as its Mark ' +
    'was public then: leaves of private Marks hide theirs. With --lookalikes, lists each registration that resembles a file of a folder, ' +
    'except those under the Marks of --mark: the service is sent perceptual hashes, and not the files; what it does not show is not found. ' +
    'Of the manifests of new leaves, at most 500 are compared in a run. The ' +
    'command goes on until Ctrl-C. Exit code 1: a contradiction was found; 3: something could not be checked.',
  options: {
    ...intervalOptions,
    folder: { label: 'FOLDER', summary: 'what was seen, and evidence; default: monitor', completion: 'files' },
    mark: { label: 'ID', summary: 'list registrations under this Mark', many: true },
    lookalikes: {
      label: 'FOLDER',
      summary: 'list registrations that resemble its pictures and recordings',
      completion: 'files',
    },
    mirror: { label: 'URL|FOLDER', summary: 'mirror of the log to compare', many: true, completion: 'files' },
    witnessUrl: { label: 'URL', summary: 'witness to ask whether it has signed the same log', many: true },
    from: {
      label: 'URL|FOLDER',
      summary: 'watch the log of this copy alone, and ask no service',
      completion: 'files',
    },
    webhook: { label: 'URL', summary: 'where to send the result of a run that found or lists something' },
    jsonLines: { kind: 'flag', summary: 'print one JSON object a line for each run' },
  },
  finishesOnInterrupt: true,
  examples: {
    'provenance log monitor --once': 'Check what is new, from cron',
    'provenance log monitor --mirror "$MIRROR" --witness-url "$WITNESS"': 'Compare the log with what others have seen',
    'provenance log monitor --mark "$MARK_ID" --webhook https://example.com/hook':
      'Learn of every registration under your Mark',
    'provenance log monitor --once --lookalikes photos': 'Learn of registrations that resemble your pictures',
  },
  async run(
    context,
    { once, every, folder = 'monitor', mark = [], lookalikes, mirror = [], witnessUrl = [], from, webhook },
  ) {
    const everyMs = readIntervalMs({ once, every });
    if (!once && context.format === 'json')
      throw new UsageError('--json prints one result: add --once, or use --json-lines.');
    for (const id of mark) if (!MARK_ID.test(id)) throw new UsageError(`--mark: '${id}' is not the ID of a Mark.`);
    for (const url of [...witnessUrl, ...(webhook === undefined ? [] : [webhook])]) {
      if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError(`'${url}' is not an address.`);
    }
    if (lookalikes !== undefined && from !== undefined)
      throw new UsageError('--lookalikes asks the service, and --from asks none: leave one of them out.');
    const { runMonitorCommand } = await import('../log/monitor/run.js');
    return runMonitorCommand(context, {
      ...{ folder, from, webhook, everyMs, lookalikes },
      mirrors: mirror,
      witnessUrls: witnessUrl,
      marks: mark,
    });
  },
});

// What `log monitor` prints with `--json`, and sends to webhooks.

import { StringEnum } from '@provenance-registry/core';
import Type, { type Static } from 'typebox';
import { type FindingKind, findingKinds } from '../log/findings.js';
import { type CommandOutput, Count, type DeepReadonly, exampleTime, Text } from './common.js';
import { FoundLookalike } from './lookalikes.js';

export const MonitorRun = Type.Object(
  {
    log: Type.Optional(Text('The name of the log; absent, as size and root, if no checkpoint could be checked.')),
    size: Type.Optional(Type.Integer({ minimum: 0, description: 'Leaves of the checkpoint that was checked.' })),
    root: Type.Optional(Text('Of its tree, in base64.')),
    checkedAt: Type.String({ format: 'date-time' }),
    leaves: Count('Leaves that are new since the last run.'),
    manifests: Count('Manifests that were compared with their leaves.'),
    unpublished: Count('Leaves whose manifest is not there yet, and is asked for again.'),
    marks: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0, description: 'Of the leaf.' }),
        mark: Text('The ID of the Mark.'),
        fingerprint: Text('Of the file.'),
        id: Text('Of the Artifact.'),
        time: Type.String({ format: 'date-time', description: 'When the service says that it was registered.' }),
      }),
      { description: 'New registrations under the Marks of `--mark`.' },
    ),
    searched: Count(
      'Files of `--lookalikes` that were searched for: new ones, and all when the log has new registrations.',
    ),
    lookalikes: Type.Array(
      Type.Object(
        { picture: Text('The file in the folder of `--lookalikes`.'), ...FoundLookalike.properties },
        { title: 'ResemblingRegistration' },
      ),
      { description: 'Registrations that resemble your files, each once: hints, no contradictions.' },
    ),
    findings: Type.Array(
      Type.Object({
        kind: StringEnum(Object.keys(findingKinds) as FindingKind[]),
        message: Text('In plain words.'),
        evidence: Text('The folder with the files that prove it.'),
      }),
    ),
    omitted: Count('Findings that were left out, since there were too many.'),
    unchecked: Type.Array(Text('Why something could not be checked.')),
  },
  { title: 'MonitorRun' },
);
export type MonitorRunOutput = DeepReadonly<Static<typeof MonitorRun>>;

const example: MonitorRunOutput = {
  log: 'registry.example/log',
  size: 7,
  root: 'mc4+Pl4+MQKv8BoomHggZB8QFNMvmGQhFFoAv2p9k7k=',
  checkedAt: exampleTime,
  leaves: 2,
  manifests: 2,
  unpublished: 0,
  marks: [],
  searched: 0,
  lookalikes: [],
  findings: [],
  omitted: 0,
  unchecked: [],
};

export const monitorOutput: CommandOutput = { schema: MonitorRun, lineSchema: MonitorRun, example };

// Renders the documentation of the commands' JSON: docs/cli-output.schema.json and docs/cli-json.md.

import { type CommandGroup, isGroup } from '../command.js';
import { CommandFailure, commandOutputs } from './index.js';

/** A JSON Schema with a definition for each command, such as `mark-list`, and for the types they share. */
export function renderJsonSchema(): string {
  const types = new Map<string, unknown>();
  const commands = Object.entries(commandOutputs).map(
    ([name, { schema }]) => [definitionName(name), hoist(schema, types)] as const,
  );
  hoist(CommandFailure, types);
  const document = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Output of the provenance command',
    description:
      'The result of `provenance mark list --json` is `#/$defs/mark-list`; any command may fail with CommandFailure.',
    $defs: Object.fromEntries([...commands, ...[...types].sort(([one], [two]) => (one < two ? -1 : 1))]),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** Moves schemas that have a title to the definitions and refers to them by that name. */
function hoist(schema: unknown, types: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, types));
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, hoist(value, types)]));
  const { title } = members;
  if (typeof title !== 'string') return members;
  types.set(title, members);
  return { $ref: `#/$defs/${title}` };
}

function definitionName(command: string): string {
  return command.replaceAll(' ', '-');
}

const INTRODUCTION = `# JSON of the command line

What each command prints with \`--json\`. [cli-output.schema.json](cli-output.schema.json) has the JSON Schema of every
command, under \`$defs\` by its name (\`mark list\` is \`mark-list\`). Tests check the real output of every command against
it. This page and the schema are generated: \`npm run docs:cli\`.

- A command that fails as a whole prints \`{"error": "…", "code": "…"}\`. Branch on \`code\` and on
  [the exit code](cli.md#exit-codes-and-output); the text in \`error\` may change.
- New fields may be added at any time. Fields that are not known are absent or null, as the schema says.
- \`hash\` and \`verify\` print one document with all files, or with \`--json-lines\` one object a line for each file as soon as
  its result is known.
- Times are ISO 8601. Texts from the service and from files are as received: escape them before you show them.
`;

/** Longer examples are shown once. */
const MAX_REPEATED_LINES = 8;

export function renderOverview(root: CommandGroup): string {
  const known = new Map<string, string>();
  const sections = listCommands(root, []).map(({ path, summary }) => {
    const example = renderExample(path, commandOutputs[path]?.example, known);
    return `## ${path}\n\n\`provenance ${path}\`: ${summary}.\n\n${example}\n`;
  });
  return [INTRODUCTION, ...sections].join('\n');
}

/** @param known where the values of earlier examples are */
function renderExample(path: string, example: unknown, known: Map<string, string>): string {
  const render = (value: unknown) => JSON.stringify(value, undefined, 2);
  const text = render(example);
  const [item, ...others] = Array.isArray(example) ? example : [];
  const sole = item === undefined || others.length > 0 ? undefined : render(item);
  if (text.split('\n').length > MAX_REPEATED_LINES) {
    const [same, listed] = [known.get(text), sole === undefined ? undefined : known.get(sole)];
    if (same !== undefined) return `As ${same}.`;
    if (listed !== undefined) return `A list of objects as ${listed}.`;
  }
  const link = `[\`${path}\`](#${path.replaceAll(' ', '-')})`;
  known.set(text, link);
  if (sole !== undefined) known.set(sole, `${link}, one object of its list`);
  return `\`\`\`json\n${text}\n\`\`\``;
}

/** Those that print a result. */
export function listCommands(group: CommandGroup, names: readonly string[]): { path: string; summary: string }[] {
  return group.commands.flatMap((entry) => {
    const path = [...names, entry.name];
    if (isGroup(entry)) return listCommands(entry, path);
    return entry.printsNoResult ? [] : [{ path: path.join(' '), summary: entry.summary }];
  });
}

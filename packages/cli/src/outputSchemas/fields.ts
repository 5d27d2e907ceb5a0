// Checks the fields that `--format` names by the schema of the command's output.

import { UsageError } from '../errors.js';
import type { FieldFormat } from '../fieldFormat.js';
import { Text } from '../text.js';
import { commandOutputs } from './index.js';

/** Throws UsageError for a field that no result of the command has. */
export function checkFields(format: FieldFormat, command: string): void {
  const { schema, lineSchema = schema } = commandOutputs[command] ?? {};
  for (const part of format) if (!(part instanceof Text)) checkField(part, lineSchema);
}

function checkField(path: readonly string[], schema: unknown): void {
  let schemas: readonly unknown[] = [schema];
  for (const name of path) {
    const fields = schemas.flatMap((one) => [...listFields(one)]);
    schemas = fields.filter(([field]) => field === name).map(([, field]) => field);
    if (schemas.length > 0) continue;
    const known = [...new Set(fields.map(([field]) => field))].sort().join(', ') || 'none';
    throw new UsageError(`--format: there is no field '${path.join('.')}'. Fields: ${known}.`);
  }
}

/** Fields that results of a schema can have, with their schemas. The items of a list are results. */
function* listFields(schema: unknown): Generator<readonly [name: string, field: unknown]> {
  if (typeof schema !== 'object' || schema === null) return;
  if ('properties' in schema) yield* Object.entries(schema.properties ?? {});
  if ('items' in schema) yield* listFields(schema.items);
  if ('anyOf' in schema && Array.isArray(schema.anyOf)) for (const part of schema.anyOf) yield* listFields(part);
}

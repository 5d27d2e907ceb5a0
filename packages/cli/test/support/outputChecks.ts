// Checks the JSON that a command printed against its documented schema.

import type { TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { rootGroup } from '../../src/commands/index.js';
import { CommandFailure, commandOutputs } from '../../src/outputSchemas/index.js';
import { findCommand } from '../../src/parse.js';

/** Throws when a field is missing, has another type, or is not documented. Returns the names of the command. */
export function checkOutput(args: readonly string[], output: unknown): string | undefined {
  if (Check(close(CommandFailure), output)) return undefined;
  const command = findCommand(rootGroup, args).path.join(' ');
  const declared = commandOutputs[command];
  if (!declared) throw new Error(`The output of '${command}' has no schema.`);
  const schema = close(declared.schema);
  if (Check(schema, output)) return command;
  const [, problems] = Errors(schema, output);
  const reasons = problems.map(({ instancePath, message }) => `${instancePath}: ${message}`);
  throw new Error(`The output of '${command}' is not as documented: ${reasons.join('; ')}`);
}

/** The same schema without room for fields that it does not name. */
function close<T>(schema: T): T & TSchema {
  return closeAny(schema) as T & TSchema;
}

function closeAny(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeAny);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closeAny(value)]));
  const isOpen = 'properties' in members && members['type'] !== undefined && !('additionalProperties' in members);
  return isOpen ? { ...members, additionalProperties: false } : members;
}

// The table of cases in verdictCases.json, which is the test of all clients.

import { readFile } from 'node:fs/promises';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';

const VerdictCase = Type.Object({
  when: Type.String(),
  /** The file, if it is not the registered one. */
  subject: Type.Optional(Type.String()),
  bundle: Type.Optional(Type.String()),
  /** What the caller names or pins. */
  named: Type.Array(Type.String()),
  require: Type.Optional(
    Type.Array(Type.Union([Type.Literal('chain'), Type.Literal('manifest'), Type.Literal('log')])),
  ),
  /** The Mark. */
  expect: Type.Optional(Type.String()),
  verdict: Type.String(),
  reason: Type.Optional(Type.String()),
  exitCode: Type.Number(),
});
export type VerdictCase = Static<typeof VerdictCase>;

const table = await readFile(new URL('verdictCases.json', import.meta.url), 'utf8');
export const verdictCases = Value.Parse(Type.Array(VerdictCase), JSON.parse(table));

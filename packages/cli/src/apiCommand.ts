// Commands that send requests to the service and print the result.

import type { RegistryClient } from '@provenance-registry/client';
import { type Command, defineCommand, type TypedCommand } from './command.js';
import { confirmStep, type Step } from './confirmation.js';
import { connect, connectLoggedIn } from './connect.js';
import { resolveNames } from './names.js';
import type { Arguments, Options, ValuesOf } from './options.js';
import type { Text } from './text.js';

interface ApiCommand<A extends Arguments, O extends Options, Result> extends Omit<TypedCommand<A, O>, 'run'> {
  /** Works without a login. */
  readonly isPublic?: true;
  /** What to ask before a step that cannot be taken back. Needs `--yes` as an option; not called with it. */
  confirm?(client: RegistryClient, values: ValuesOf<A, O>): Step | Promise<Step | undefined> | undefined;
  /** Returns what `--json` prints. */
  request(client: RegistryClient, values: ValuesOf<A, O>): Promise<Result>;
  /** Returns what was done, for terminals: printed on stderr before the result. */
  hint?(result: Result): Text;
  /** Returns what to warn of, if anything; `--json` has it in the result. */
  warn?(result: Result, values: ValuesOf<A, O>): Promise<string | undefined>;
  /** Returns what is printed without `--json`, if anything. */
  format(result: Result): Text | undefined | Promise<Text | undefined>;
}

export function defineApiCommand<const A extends Arguments, const O extends Options, Result>(
  definition: ApiCommand<A, O, Result>,
): Command {
  const { isPublic, confirm, request, hint, warn, format, ...declaration } = definition;
  return defineCommand<A, O>({
    ...declaration,
    async run(context, given) {
      const client = await (isPublic ? connect(context) : connectLoggedIn(context));
      const values = await resolveNames(client, { ...declaration.arguments, ...declaration.options }, given);
      const step = hasAgreed(values) ? undefined : await confirm?.(client, values);
      if (step) await confirmStep(context, false, step);
      const result = await request(client, values);
      if (hint) context.printHint(hint(result));
      context.printResult(result, context.isForPeople ? await format(result) : undefined);
      const warning = await warn?.(result, values);
      if (warning !== undefined) context.warn(warning);
    },
  });
}

function hasAgreed(values: object): boolean {
  return 'yes' in values && values.yes === true;
}

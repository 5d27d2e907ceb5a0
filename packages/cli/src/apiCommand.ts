// Commands that send requests to the service and print the result.

import type { RegistryClient } from '@provenance-registry/client';
import { type Command, defineCommand, type TypedCommand } from './command.js';
import { connect, connectLoggedIn } from './connect.js';
import type { Arguments, Options, ValuesOf } from './options.js';
import type { Text } from './text.js';

interface ApiCommand<A extends Arguments, O extends Options, Result> extends Omit<TypedCommand<A, O>, 'run'> {
  /** Works without a login. */
  readonly isPublic?: true;
  /** Returns what `--json` prints. */
  request(client: RegistryClient, values: ValuesOf<A, O>): Promise<Result>;
  /** Returns what is printed without `--json`, if anything. */
  format(result: Result): Text | undefined;
}

export function defineApiCommand<const A extends Arguments, const O extends Options, Result>(
  definition: ApiCommand<A, O, Result>,
): Command {
  const { isPublic, request, format, ...declaration } = definition;
  return defineCommand<A, O>({
    ...declaration,
    async run(context, values) {
      const result = await request(await (isPublic ? connect(context) : connectLoggedIn(context)), values);
      context.printResult(result, format(result));
    },
  });
}

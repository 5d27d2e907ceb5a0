// The whole command, without the process that it runs in.

import { rootGroup } from './commands/index.js';
import { type Invocation, prepareInvocation } from './invocation.js';

export function prepareProgram(argv: readonly string[]): Invocation {
  return prepareInvocation(rootGroup, argv);
}

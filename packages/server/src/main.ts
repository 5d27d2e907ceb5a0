#!/usr/bin/env node
// The `provenance-server` command: starts the service, or runs another command.

import { auditCommand } from './commands/audit.js';
import { type Command, EXIT_BAD_SETTINGS, printMessage, runCommand } from './commands/command.js';
import { logCommand } from './commands/log.js';
import { migrateCommand } from './commands/migrate.js';
import { mirrorCommand } from './commands/mirror.js';
import { recoverCommand } from './commands/recover.js';
import { registrarCommand } from './commands/registrar.js';
import { resetPasswordCommand } from './commands/resetPassword.js';
import { startService } from './commands/start.js';
import { secretSettings, settings } from './config/settings.js';
import { readVersion } from './paths.js';

const commands = new Map<string, Command>([
  ['audit', auditCommand],
  ['log', logCommand],
  ['migrate', migrateCommand],
  ['mirror', mirrorCommand],
  ['recover', recoverCommand],
  ['registrar', registrarCommand],
  ['reset-password', resetPasswordCommand],
]);

function printHelp(): void {
  const lines = Object.entries(settings).map(
    ([name, [fallback, meaning]]) => `  ${name}\n      ${meaning} (default: ${fallback})`,
  );
  process.stdout.write(`provenance-server        starts the service
provenance-server audit  finds where database, published files and chain disagree (see audit --help)
provenance-server log recover  brings back what a restored database lacks of the public log (see log --help)
provenance-server migrate  migrates the database apart from the start (see migrate --help)
provenance-server mirror  shows or rebuilds the copy of the entries on chain (see mirror --help)
provenance-server recover  brings back what a restored database lacks (see recover --help)
provenance-server registrar  grants and revokes the role that writes on chain (see registrar --help)
provenance-server reset-password  prints a link that sets a new password (see reset-password --help)
provenance-server --version  prints the version

The provenance registry is configured by environment variables:\n\n${lines.join('\n')}

A secret can also be read from a file, whose path is in the setting with _FILE at its end:
${secretSettings.map((name) => `  ${name}_FILE\n`).join('')}`);
}

/** A second signal ends the process at once. */
function listenForStop(): AbortSignal {
  const stop = new AbortController();
  const abort = () => stop.abort(new Error('The command was stopped before its end.'));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, abort);
  return stop.signal;
}

async function runNamedCommand(name: string, args: readonly string[]): Promise<number> {
  const command = commands.get(name);
  if (command) {
    const { env: environment, stdout: output } = process;
    return runCommand(command, args, { environment, output, notify: printMessage, listenForStop });
  }
  printMessage(`${name}: unknown command; see --help`);
  return EXIT_BAD_SETTINGS;
}

const [name, ...args] = process.argv.slice(2);
if (name === undefined) startService();
else if (name === '--help') printHelp();
else if (name === '--version') process.stdout.write(`${readVersion()}\n`);
else process.exit(await runNamedCommand(name, args));

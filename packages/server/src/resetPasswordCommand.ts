// `provenance-server reset-password`: prints a link that sets a new password, for services that send no mail.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectDatabase, describeError, exitOnConfigError, printMessage, requireMigrated } from './bootstrap.js';
import { CloserStack } from './closers.js';
import { type Config, ConfigError, loadConfig } from './config.js';
import { joinEmbeddedDatabase } from './database/embedded/index.js';
import { createStore } from './database/store.js';
import { createUseBuffers } from './database/useBuffer.js';
import { createResetLink } from './domain/passwordResets.js';
import { linkTokens } from './identity/linkTokens.js';
import { readOrCreateSecret } from './identity/secretFile.js';
import { createMailQueue } from './mail/mailQueue.js';

const EXIT_NO_ACCOUNT = 1;
const EXIT_FAILED = 3;

const help = `provenance-server reset-password EMAIL [--remove-second-factor]

Prints a link with which the user of that address sets a new password. The link is valid for one hour and works once; all
sessions of the user end when it is used. Hand it over in a way that only the user can read. The command takes the settings
of the service, and may run while the service runs.

  --remove-second-factor  also removes the user's second factor, at once

Exit codes: 0 the link is printed; 1 no account with a password has the address; 2 bad settings or arguments; 3 failed.
`;

/** Returns the exit code. Standard output is for the link only. */
export async function runResetPasswordCommand(args: readonly string[]): Promise<number> {
  const { isHelp, email, removeSecondFactor } = readArguments(args);
  if (isHelp) {
    process.stdout.write(help);
    return 0;
  }
  const config = loadConfig(process.env);
  const secret = await readTokenSecret(config);
  const closers = new CloserStack();
  try {
    const { database } = await connectDatabase(config, closers, {
      openEmbedded: joinEmbeddedDatabase,
      onLost: failResetPasswordCommand,
      notify: printMessage,
      prepare: requireMigrated,
    });
    const link = await createResetLink(
      {
        store: createStore(database, createUseBuffers(database)),
        linkTokens: linkTokens(secret),
        mail: createMailQueue({ isEnabled: config.mail !== undefined }),
        clock: () => new Date(),
        baseUrl: config.baseUrl,
      },
      { email, removeSecondFactor },
    );
    if (!link) {
      printMessage('No account with a password has this address.');
      return EXIT_NO_ACCOUNT;
    }
    process.stdout.write(`${link.url}\n`);
    printMessage(`The link is valid until ${link.expiresAt.toISOString()} and works once.`);
    if (link.hasRemovedSecondFactor) printMessage('The second factor is removed.');
    return 0;
  } finally {
    await closers.close();
  }
}

function readArguments(args: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const options = { help: flag, 'remove-second-factor': flag };
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const [email = '', ...rest] = positionals;
    if (!values.help && (email === '' || rest.length > 0))
      throw new Error('reset-password needs one address; see --help');
    return { isHelp: values.help, email, removeSecondFactor: values['remove-second-factor'] };
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}

/** The one of the service: with another one, the link would not work. */
async function readTokenSecret({ jwtSecret, dataDir }: Config): Promise<string> {
  const file = join(dataDir, 'jwt-secret');
  if (jwtSecret === undefined && !existsSync(file)) {
    throw new ConfigError([`DATA_DIR: ${dataDir} has no jwt-secret, and JWT_SECRET is not set`]);
  }
  return jwtSecret ?? readOrCreateSecret(file);
}

export function failResetPasswordCommand(error: unknown): never {
  exitOnConfigError(error);
  printMessage(`The link could not be created: ${describeError(error)}`);
  process.exit(EXIT_FAILED);
}

// `provenance-server reset-password`: prints a link that sets a new password, for services that send no mail.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { joinDatabase } from '../composition/database.js';
import { readSecret } from '../composition/secrets.js';
import { type Config, ConfigError, loadConfig } from '../config/config.js';
import { DatabaseClock } from '../database/clock.js';
import { createStore } from '../database/store.js';
import { createUseBuffers } from '../database/useBuffer.js';
import { createResetLink } from '../domain/accounts/passwordResets.js';
import { linkTokens } from '../identity/derivedSecrets.js';
import { createMailQueue } from '../mail/mailQueue.js';
import { type Command, type CommandParts, describeError, flag, parseArguments } from './command.js';

const EXIT_NO_ACCOUNT = 1;
const EXIT_FAILED = 3;

const help = `provenance-server reset-password EMAIL [--remove-second-factor]

Prints a link with which the user of that address sets a new password. The link is valid for one hour and works once; all
sessions of the user end when it is used. Hand it over in a way that only the user can read. The command takes the settings
of the service, and may run while the service runs.

  --remove-second-factor  also removes the user's second factor, at once

Exit codes: 0 the link is printed; 1 no account with a password has the address; 2 bad settings or arguments; 3 failed.
`;

/** Standard output is for the link only. */
export const resetPasswordCommand: Command = {
  help,
  run: printResetLink,
  describeFailure: (error) => `The link could not be created: ${describeError(error)}`,
  exitCodeOfFailure: EXIT_FAILED,
};

async function printResetLink(args: readonly string[], parts: CommandParts): Promise<number> {
  const { environment, output, notify, closers, fail } = parts;
  const { email, removeSecondFactor } = readArguments(args);
  const config = loadConfig(environment);
  const secret = await readLinkSecret(config);
  const database = await joinDatabase(config, closers, { onLost: fail, notify });
  const clock = new DatabaseClock();
  await clock.measure(database);
  const link = await createResetLink(
    {
      store: createStore(database, createUseBuffers(database)),
      linkTokens: linkTokens(secret),
      mail: createMailQueue({ isEnabled: config.mail !== undefined }),
      clock: clock.now,
      baseUrl: config.baseUrl,
    },
    { email, removeSecondFactor },
  );
  if (!link) {
    notify('No account with a password has this address.');
    return EXIT_NO_ACCOUNT;
  }
  output.write(`${link.url}\n`);
  notify(`The link is valid until ${link.expiresAt.toISOString()} and works once.`);
  if (link.hasRemovedSecondFactor) notify('The second factor is removed.');
  return 0;
}

function readArguments(args: readonly string[]) {
  const options = { 'remove-second-factor': flag };
  const { values, positionals } = parseArguments({ args: [...args], options, allowPositionals: true });
  const [email = '', ...rest] = positionals;
  if (email === '' || rest.length > 0) throw new ConfigError(['reset-password needs one address; see --help']);
  return { email, removeSecondFactor: values['remove-second-factor'] };
}

/** The one of the service: with another one, the link would not work. */
async function readLinkSecret(config: Config): Promise<string> {
  const { secrets, dataDir } = config;
  const isSet = secrets.links !== undefined || secrets.tokens !== undefined;
  if (!isSet && !existsSync(join(dataDir, 'jwt-secret'))) {
    throw new ConfigError([`DATA_DIR: ${dataDir} has no jwt-secret, and JWT_SECRET is not set`]);
  }
  return readSecret(config, 'links');
}

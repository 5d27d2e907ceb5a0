// Makes the embedded server ask everyone for the password (SCRAM): new data folders, and those of earlier releases, whose
// server let in everyone who reached its socket.
//
// Three steps, each of which can be repeated: the file with the password, the role's password, pg_hba.conf. The last one is
// replaced at once and tells that the others were done, so that a start after a kill does all of them again.

import { chown, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { access, createPassword, readPassword } from './password.js';
import {
  DRAFT_PREFIX,
  dataFolder,
  findServer,
  type Listener,
  runProgram,
  type ServerHome,
  START_TIMEOUT_MS,
} from './server.js';

const ACCESS_RULES = `# Written by the service, which writes it again when it is changed.
local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
`;

/** The processes of a killed server hold its shared memory for some seconds, and each attempt fails until then. */
const MAX_FAILURES = 40;
const PAUSE_MS = 250;

export interface ProtectionOptions {
  /** Stops a server that an earlier release has left running; throws when a service uses it. */
  readonly stopUnused: (listener: Listener) => Promise<void>;
  readonly stop?: AbortSignal | undefined;
}

/** Does nothing when the data is protected. */
export async function protectData(
  home: ServerHome,
  binaries: string,
  { stopUnused, stop }: ProtectionOptions,
): Promise<void> {
  const startedAt = Date.now();
  let failures = 0;
  while (!(await isProtected(home))) {
    stop?.throwIfAborted();
    if (Date.now() - startedAt > START_TIMEOUT_MS) throw new Error('The embedded PostgreSQL is not ready.');
    const running = await findServer(home);
    if (running?.listener) await stopUnused(running.listener);
    // Without a listener: a server that is starting, or another process that does the same as this one.
    else if (running) await delay(PAUSE_MS, undefined, { signal: stop });
    else {
      try {
        await setPassword(home, binaries, stop);
        await writeAccessRules(home);
      } catch (error) {
        failures += 1;
        if (failures === MAX_FAILURES) throw error;
        await delay(PAUSE_MS, undefined, { signal: stop });
      }
    }
  }
}

async function isProtected(home: ServerHome): Promise<boolean> {
  const rules = await readFile(rulesFile(home), 'utf8').catch(() => undefined);
  return rules === ACCESS_RULES && (await readPassword(home.passwordFile)) !== undefined;
}

/** By PostgreSQL's single-user mode, which needs no server. The statement is neither an argument nor in the log. */
async function setPassword(home: ServerHome, binaries: string, stop?: AbortSignal): Promise<void> {
  const password = await createPassword(home.passwordFile);
  const settings = ['exit_on_error=on', 'log_min_error_statement=panic', 'password_encryption=scram-sha-256'];
  const args = ['--single', '-D', dataFolder(home), ...settings.flatMap((setting) => ['-c', setting]), access.database];
  await runProgram(home, join(binaries, 'bin', 'postgres'), args, {
    stop,
    input: `alter role ${access.user} password '${password}'\n`,
  });
}

async function writeAccessRules(home: ServerHome): Promise<void> {
  const draft = await mkdtemp(join(home.folder, DRAFT_PREFIX));
  try {
    const path = join(draft, 'pg_hba.conf');
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(ACCESS_RULES);
      await file.sync();
    } finally {
      await file.close();
    }
    if (home.user) await chown(path, home.user.uid, home.user.gid);
    await rename(path, rulesFile(home));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function rulesFile(home: ServerHome): string {
  return join(dataFolder(home), 'pg_hba.conf');
}

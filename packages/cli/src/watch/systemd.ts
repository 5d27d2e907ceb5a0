// `watch install` and `watch uninstall`: a systemd user unit that runs the folder watcher.

import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Context } from '../context.js';
import { CommandError, errorCode, orFileError, UsageError } from '../errors.js';
import { userFolder } from '../files.js';
import type { Environment } from '../processIo.js';
import { DEFAULT_PROFILE } from '../profiles.js';
import { joinLines, text } from '../text.js';

const DOCUMENT = 'docs/folders.md';
/** What the watcher needs of the environment, which a unit does not inherit. */
const inheritedVariables = [
  ...['XDG_CONFIG_HOME', 'XDG_STATE_HOME', 'NODE_EXTRA_CA_CERTS'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
];

export async function installUnit(context: Context): Promise<void> {
  const { env } = context;
  const profile = await requireSavedSettings(context);
  const unit = unitName(profile);
  const path = unitPath(env, unit);
  await systemctl(env, 'show-environment');
  const content = renderUnit(context, profile);
  const isChanged = (await readFile(path, 'utf8').catch(() => undefined)) !== content;
  if (isChanged) {
    await orFileError(path, mkdir(dirname(path), { recursive: true }));
    await orFileError(path, writeFile(path, content));
  }
  await systemctl(env, 'daemon-reload');
  await systemctl(env, 'enable', unit);
  // Also starts it. A running one may be of an earlier version of this command.
  await systemctl(env, 'restart', unit);
  context.printResult(
    { profile, unit, file: path, isChanged },
    joinLines([
      text`${isChanged ? 'Wrote' : 'Found unchanged'} ${path}`,
      text`Enabled and started ${unit}: it runs while you are logged in.`,
      text`To run it from boot on, also without a login:  loginctl enable-linger`,
      text`Its log:  journalctl --user --unit ${unit} --follow`,
      text`Its state:  provenance watch status${profile === DEFAULT_PROFILE ? '' : ` --profile ${profile}`}`,
    ]),
  );
}

export async function uninstallUnit(context: Context): Promise<void> {
  const { env } = context;
  const profile = (await context.loadSettings()).profile.value;
  const unit = unitName(profile);
  const path = unitPath(env, unit);
  const isInstalled = (await readFile(path, 'utf8').catch(() => undefined)) !== undefined;
  if (isInstalled) {
    await systemctl(env, 'disable', '--now', unit);
    await rm(path, { force: true });
    await systemctl(env, 'daemon-reload');
  }
  context.printResult(
    { profile, unit, file: path, isChanged: isInstalled },
    isInstalled
      ? text`Stopped and disabled ${unit}, and removed ${path}. The watched folders stay in the configuration.`
      : text`${unit} is not installed.`,
  );
}

/** The unit sees the configuration file only, not the flags and variables of this command. */
async function requireSavedSettings(context: Context): Promise<string> {
  const { profile, url, token } = await context.loadSettings();
  const origin = `profile ${profile.value}`;
  if (token?.from !== origin || (url.from !== origin && url.from !== 'default')) {
    const advice =
      "Save both in the profile with 'provenance login', or an API key with 'provenance login --with-token'.";
    throw new UsageError(`The watcher reads URL and token from the ${origin} only. ${advice}`);
  }
  return profile.value;
}

function unitName(profile: string): string {
  if (profile === DEFAULT_PROFILE) return 'provenance.service';
  if (/^[\w.-]{1,100}$/.test(profile)) return `provenance-${profile}.service`;
  throw new UsageError(`The name of the profile cannot be part of a unit name: ${profile}.`);
}

function unitPath(env: Environment, unit: string): string {
  return join(userFolder(env, 'XDG_CONFIG_HOME', '.config'), 'systemd', 'user', unit);
}

function renderUnit({ env, program }: Context, profile: string): string {
  const command = [...program, 'watch', 'run', '--profile', profile];
  const variables = inheritedVariables.flatMap((name) =>
    env[name] ? [`Environment=${quote(`${name}=${env[name]}`)}`] : [],
  );
  return `# Written by 'provenance watch install'.
[Unit]
Description=Registration of files in watched folders (profile ${profile})

[Service]
ExecStart=${command.map((word) => quote(word).replaceAll('$', '$$$$')).join(' ')}
${variables.map((line) => `${line}\n`).join('')}Restart=on-failure
RestartSec=30
# Wrong use, such as a damaged configuration: the same again.
RestartPreventExitStatus=2
SuccessExitStatus=143
Nice=10
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`;
}

/** A word of a unit file, where % starts a specifier. */
function quote(word: string): string {
  if (/\p{Cc}/u.test(word)) throw new UsageError('A path or variable of the watcher contains control characters.');
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`;
}

async function systemctl(env: Environment, ...args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)('systemctl', ['--user', ...args], { env: { ...env } });
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT';
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const problem = isMissing
      ? 'This system has no systemd'
      : `systemctl --user ${args.join(' ')} failed${stderr && `: ${stderr.replace(/\.$/, '')}`}`;
    const advice = `${DOCUMENT} says how to run 'provenance watch run' in other ways.`;
    throw new CommandError('SYSTEMD_PROBLEM', 3, `${problem}. ${advice}`, { cause: error });
  }
}

// `config`: the settings, and where each of them comes from.

import { resolve } from 'node:path';
import { command, type Group } from '../command.js';
import { changeProfile, configPath, readConfig, writeConfig } from '../configFile.js';
import { CommandError, UsageError } from '../errors.js';
import { DEFAULT_PROFILE, type Setting, type SettingName, settingSources } from '../settings.js';
import { list, text } from '../text.js';

/** By the names that people type: `rpc-url`. A token is set by logging in, where no list of processes shows it. */
const settable = ['url', 'rpc-url', 'contract', 'trust-anchors', 'mark'] as const;
const names = [...settable, 'token'] as const;
const byName: Readonly<Record<(typeof names)[number], SettingName>> = {
  url: 'url',
  token: 'token',
  'rpc-url': 'rpcUrl',
  contract: 'contract',
  'trust-anchors': 'trustAnchors',
  mark: 'mark',
};

const showCommand = command({
  name: 'show',
  summary: 'all settings and where they come from',
  description:
    'Shows every setting in use and where it comes from: a flag, the environment, the profile, or the default. ' +
    'A token is shown in part.',
  examples: [{ run: 'provenance config show', meaning: 'What is in use' }],
  async run(context) {
    const settings = await context.settings();
    const path = configPath(context.env);
    const found: readonly (readonly [string, Setting | undefined])[] = [
      ['profile', settings.profile],
      ...names.map((name) => [name, settings[byName[name]]] as const),
    ];
    const shown = found.map(([name, setting]) => ({
      name,
      value: setting ? (name === 'token' ? masked(setting.value) : setting.value) : null,
      from: setting?.from ?? null,
    }));
    context.hint(text`The configuration file is ${path}.`);
    context.result(
      { file: path, settings: shown },
      list(
        ['SETTING', 'VALUE', 'FROM'],
        shown.map(({ name, value, from }) => [name, value ?? 'not set', from ?? '']),
      ),
    );
    return 0;
  },
});

const getCommand = command({
  name: 'get',
  summary: 'one setting',
  description: 'Prints the value of one setting as it is in use. Exit code 1: it is not set.',
  arguments: { name: { label: 'NAME', summary: 'the setting', choices: names } },
  examples: [{ run: 'provenance config get url', meaning: 'Where is the service?' }],
  async run(context, { name }) {
    const setting = (await context.settings())[byName[name]];
    if (!setting) throw new CommandError('NOT_SET', 1, `${name} is not set.`);
    context.result({ name, ...setting }, text`${setting.value}`);
    return 0;
  },
});

const setCommand = command({
  name: 'set',
  summary: 'keep a setting in the profile',
  description: 'Writes a setting into the profile. Tokens are written by provenance login.',
  arguments: {
    name: { label: 'NAME', summary: 'the setting', choices: settable },
    value: { label: 'VALUE', summary: 'its value' },
  },
  examples: [
    { run: 'provenance config set rpc-url http://127.0.0.1:8545', meaning: 'The node that verify asks' },
    { run: 'provenance config set url https://registry.example --profile work', meaning: 'In another profile' },
  ],
  async run(context, { name, value: typed }) {
    const problem = settingSources[byName[name]].check(typed);
    if (problem) throw new UsageError(`'${typed}' ${problem}.`, ['config', 'set']);
    // Whoever uses it later may stand in another folder.
    const value = name === 'trust-anchors' ? resolve(context.cwd, typed) : typed;
    const { profile } = await context.settings();
    // A token goes to nobody but the service that gave it.
    const isOther = name === 'url';
    await changeProfile(context.env, profile.value, ({ token, tokenExpiresAt, ...rest }) => ({
      ...rest,
      ...(!isOther && token !== undefined && { token }),
      ...(!isOther && tokenExpiresAt !== undefined && { tokenExpiresAt }),
      [byName[name]]: value,
    }));
    context.result({ profile: profile.value, name, value }, text`${name} is ${value} in the profile ${profile.value}.`);
    return 0;
  },
});

const unsetCommand = command({
  name: 'unset',
  summary: 'take a setting out of the profile',
  description: 'Takes a setting out of the profile, so that the default is used again.',
  arguments: { name: { label: 'NAME', summary: 'the setting', choices: names } },
  examples: [{ run: 'provenance config unset rpc-url', meaning: 'Forget the node' }],
  async run(context, { name }) {
    const { profile } = await context.settings();
    await changeProfile(context.env, profile.value, ({ [byName[name]]: _, ...rest }) => rest);
    context.result({ profile: profile.value, name }, text`${name} is not set in the profile ${profile.value}.`);
    return 0;
  },
});

const profilesCommand = command({
  name: 'profiles',
  summary: 'all profiles',
  description: 'Lists the profiles of the configuration; the one in use has a star.',
  examples: [{ run: 'provenance config profiles', meaning: 'All of them' }],
  async run(context) {
    const { profile } = await context.settings();
    const { config } = await readConfig(configPath(context.env));
    const profiles = Object.entries(config.profiles).map(([name, { url, token }]) => ({
      name,
      isInUse: name === profile.value,
      url: url ?? null,
      hasToken: token !== undefined,
    }));
    const rows = profiles.map(({ name, isInUse, url, hasToken }) => [
      isInUse ? '*' : ' ',
      name,
      url ?? '',
      hasToken ? 'logged in' : '',
    ]);
    context.result(profiles, rows.length > 0 ? list([' ', 'PROFILE', 'URL', ''], rows) : undefined);
    return 0;
  },
});

const useCommand = command({
  name: 'use',
  summary: 'choose the profile that is used by default',
  description: 'Chooses the profile that is used when neither --profile nor PROVENANCE_PROFILE says another one.',
  arguments: { profile: { label: 'PROFILE', summary: 'its name' } },
  examples: [{ run: 'provenance config use work', meaning: 'From now on that of work' }],
  async run(context, { profile }) {
    const path = configPath(context.env);
    const { config } = await readConfig(path);
    if (profile !== DEFAULT_PROFILE && !Object.hasOwn(config.profiles, profile)) {
      throw new CommandError('NOT_FOUND', 1, `There is no profile '${profile}'.`);
    }
    await writeConfig(path, { ...config, profile });
    context.result({ profile }, text`The profile ${profile} is used from now on.`);
    return 0;
  },
});

export const configGroup: Group = {
  name: 'config',
  summary: 'settings, and where they come from',
  description:
    'Settings come from flags, then the environment, then a profile of the configuration file, then defaults. The ' +
    'environment: ' +
    `${Object.values(settingSources)
      .map(({ variable }) => variable)
      .join(', ')}, PROVENANCE_PROFILE.`,
  commands: [showCommand, getCommand, setCommand, unsetCommand, profilesCommand, useCommand],
};

/** Enough to tell two apart. */
function masked(token: string): string {
  return `${token.slice(0, 8)}…${token.slice(-4)}`;
}

// `config`: shows and changes settings.

import { resolve } from 'node:path';
import { type CommandGroup, defineCommand } from '../command.js';
import { changeProfile, configPath, readConfig, switchProfile, writeConfig } from '../configFile.js';
import type { Context } from '../context.js';
import { CommandError, UsageError } from '../errors.js';
import { chooseProfileFor, DEFAULT_PROFILE, DEFAULT_URL, isProfileOf } from '../profiles.js';
import { listNames, type Setting, type SettingName, settingSources, splitList } from '../settings.js';
import { formatList, text } from '../text.js';
import { trustGroup } from './trust.js';

/** Names on the command line. Tokens are set by `login`, because process lists show command lines. */
const writableNames = [
  'url',
  'rpc-url',
  'chain-id',
  'contract',
  'trust-anchors',
  'log-key',
  'log-contract',
  'witness',
  'mark',
] as const;
const names = [...writableNames, 'token'] as const;
const settingNames: Readonly<Record<(typeof names)[number], SettingName>> = {
  url: 'url',
  token: 'token',
  'rpc-url': 'rpcUrl',
  'chain-id': 'chainId',
  contract: 'contract',
  'trust-anchors': 'trustAnchors',
  'log-key': 'logKey',
  'log-contract': 'logContract',
  witness: 'witness',
  mark: 'mark',
};

const showCommand = defineCommand({
  name: 'show',
  summary: 'show all settings and their origin',
  description:
    'Shows every setting and its origin: a flag, the environment, the profile or the default. Tokens are masked.',
  examples: { 'provenance config show': 'Show the current settings' },
  async run(context) {
    const settings = await context.loadSettings();
    const path = configPath(context.env);
    const rows = (['profile', ...names] as const).map((name) => {
      const setting = settings[name === 'profile' ? name : settingNames[name]];
      if (!setting) return { name, value: null, from: null };
      const value = formatValue(setting);
      return { name, value: name === 'token' ? maskToken(value) : value, from: setting.from };
    });
    context.printHint(text`Configuration file: ${path}`);
    context.printResult(
      { file: path, settings: rows },
      formatList(
        ['SETTING', 'VALUE', 'FROM'],
        rows.map(({ name, value, from }) => [name, value ?? 'not set', from ?? '']),
      ),
    );
  },
});

const getCommand = defineCommand({
  name: 'get',
  summary: 'print a setting',
  description: 'Prints the current value of a setting. Exit code 1: not set.',
  arguments: { name: { label: 'NAME', summary: 'setting', choices: names } },
  examples: { 'provenance config get url': 'URL of the service' },
  async run(context, { name }) {
    const setting = (await context.loadSettings())[settingNames[name]];
    if (!setting) throw new CommandError('NOT_SET', 1, `${name} is not set.`);
    const value = formatValue(setting);
    context.printResult({ name, value, from: setting.from }, text`${value}`);
  },
});

const setCommand = defineCommand({
  name: 'set',
  summary: 'save a setting in the profile',
  description:
    "Saves a setting in the profile. Tokens are saved by 'provenance login'. 'config set url' switches to the profile of " +
    'that registry, and creates one if the current profile is logged in to another: each registry keeps its login.',
  arguments: {
    name: { label: 'NAME', summary: 'setting', choices: writableNames },
    value: { label: 'VALUE', summary: 'new value' },
  },
  examples: {
    'provenance config set rpc-url http://127.0.0.1:8545': 'Node that verify queries',
    'provenance config set url https://registry.example --profile work': 'Change another profile',
  },
  async run(context, { name, value: typed }) {
    const isList = listNames.some((list) => list === settingNames[name]);
    const values = isList ? splitList(typed) : [typed];
    for (const each of values.length > 0 ? values : [typed]) {
      const problem = settingSources[settingNames[name]].check(each);
      if (problem) throw new UsageError(`'${each}' ${problem}.`);
    }
    // Later commands may run in another folder.
    const value = name === 'trust-anchors' ? resolve(context.cwd, typed) : values.join(' ');
    if (name === 'url') return setUrl(context, value);
    const profile = (await context.loadSettings()).profile.value;
    await changeProfile(context.env, profile, (before) => ({
      ...before,
      [settingNames[name]]: values.length > 1 ? values : value,
    }));
    context.printResult({ profile, name, value }, text`Set ${name} to ${value} (profile ${profile}).`);
  },
});

/** Switches to the profile of the registry: the login of another one is kept in its own. */
async function setUrl(context: Context, url: string): Promise<void> {
  const { profile: current, isProfileChosen } = await context.loadSettings();
  const { config } = await readConfig(configPath(context.env));
  const stored = config.profiles[current.value] ?? {};
  if (isProfileChosen && stored.token !== undefined && !isProfileOf(stored, url)) {
    throw new CommandError(
      'CONFLICT',
      1,
      `Profile '${current.value}' (${current.from}) is logged in to ${stored.url ?? DEFAULT_URL}. Use another profile, or run ` +
        `'provenance account logout --profile ${current.value}' first.`,
    );
  }
  const profile = isProfileChosen ? current.value : await chooseProfileFor(config, current.value, url);
  const change = isProfileChosen ? changeProfile : switchProfile;
  await change(context.env, profile, (before) => ({ ...before, url }));
  const isSwitched = profile !== current.value;
  context.printResult(
    { profile, name: 'url', value: url },
    isSwitched ? text`Switched to profile ${profile} (${url}).` : text`Set url to ${url} (profile ${profile}).`,
  );
  if (isSwitched && config.profiles[profile]?.token === undefined)
    context.printHint(text`You are not logged in there: run 'provenance login'.`);
}

const unsetCommand = defineCommand({
  name: 'unset',
  summary: 'remove a setting from the profile',
  description: 'Removes a setting from the profile, so that the default applies again.',
  arguments: { name: { label: 'NAME', summary: 'setting', choices: names } },
  examples: { 'provenance config unset rpc-url': 'Remove the configured node' },
  async run(context, { name }) {
    const profile = (await context.loadSettings()).profile.value;
    await changeProfile(context.env, profile, ({ [settingNames[name]]: _, ...rest }) => rest);
    context.printResult({ profile, name }, text`Removed ${name} (profile ${profile}).`);
  },
});

const profilesCommand = defineCommand({
  name: 'profiles',
  summary: 'list profiles',
  description: 'Lists the profiles. The current one is marked with a star.',
  examples: { 'provenance config profiles': 'Your profiles' },
  async run(context) {
    const { profile } = await context.loadSettings();
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
    context.printResult(profiles, formatList([' ', 'PROFILE', 'URL', ''], rows));
  },
});

const useCommand = defineCommand({
  name: 'use',
  summary: 'set the default profile',
  description: 'Sets the profile that is used without --profile and PROVENANCE_PROFILE.',
  arguments: { profile: { label: 'PROFILE', summary: 'profile name' } },
  examples: { 'provenance config use work': 'Switch to the profile work' },
  async run(context, { profile }) {
    const path = configPath(context.env);
    const { config } = await readConfig(path);
    if (profile !== DEFAULT_PROFILE && !Object.hasOwn(config.profiles, profile)) {
      throw new CommandError('NOT_FOUND', 1, `Profile '${profile}' does not exist.`);
    }
    await writeConfig(path, { ...config, profile });
    context.printResult({ profile }, text`Default profile: ${profile}`);
  },
});

export const configGroup: CommandGroup = {
  name: 'config',
  summary: 'show and change settings',
  description:
    'Settings are read from flags, the environment, a profile of the configuration file, and defaults, in this order. ' +
    'Environment variables: ' +
    `${Object.values(settingSources)
      .map(({ variable }) => variable)
      .join(', ')}, PROVENANCE_PROFILE.`,
  commands: [showCommand, getCommand, setCommand, unsetCommand, profilesCommand, useCommand, trustGroup],
};

/** Lists are shown as they are typed: separated by spaces. */
function formatValue({ value }: Setting<string | readonly string[]>): string {
  return typeof value === 'string' ? value : value.join(' ');
}

/** Keeps enough to tell tokens apart. */
function maskToken(token: string): string {
  return `${token.slice(0, 8)}…${token.slice(-4)}`;
}

// `trust`: pins registries whose fingerprint the user has compared with another source.

import type { RegistryIdentity } from '@provenance-registry/core';
import { type CommandGroup, defineCommand } from '../command.js';
import { changeProfile, configPath, readConfig } from '../configFile.js';
import type { Pin } from '../configSchema.js';
import { connectTo } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError, UsageError } from '../errors.js';
import { promptUser } from '../prompt.js';
import { settingSources, toPinKey } from '../settings.js';
import { bold, formatList, formatTable, joinLines, type Piece, text, wrapText } from '../text.js';
import type { Root } from '../trust/certificates.js';

const registryArgument = { label: 'URL', summary: 'base URL of the registry' } as const;

const addCommand = defineCommand({
  name: 'add',
  summary: 'pin a registry after comparing its fingerprint',
  description:
    'Shows chain, contract and roots that a registry publishes, and asks for its fingerprint from another source: the ' +
    "operator's website, printed matter, a person you trust. If both are the same, the registry is pinned in the " +
    'profile: verify then relies on the pinned values instead of what the service says. Without a terminal, --expect ' +
    'is required. Exit code 1: the fingerprints differ.',
  arguments: { url: registryArgument },
  options: {
    expect: { label: 'FINGERPRINT', summary: 'fingerprint from another source, in its short or full form' },
  },
  examples: {
    'provenance trust add "$REGISTRY_URL" --expect "$REGISTRY_FINGERPRINT"': 'Pin a registry in a script',
  },
  async run(context, { url, expect: expected }) {
    const key = parseRegistryUrl(url);
    if (expected === undefined && !context.stdin.isTTY) {
      throw new UsageError('Without a terminal, the fingerprint is required: --expect FINGERPRINT.', ['trust', 'add']);
    }
    const { parseExpectedFingerprint } = await import('../trust/expectedFingerprint.js');
    const given = expected === undefined ? undefined : parseExpectedFingerprint(expected);
    const { pin, identity } = await readPin(context, key);
    if (given === undefined) await showIdentity(context, key, identity, pin);
    const digits = given ?? parseExpectedFingerprint(await promptUser(context, PROMPT, 'open'));
    if (!pin.fingerprint.startsWith(digits)) throw await mismatchError(key, pin);
    const { profile } = await context.loadSettings();
    await changeProfile(context.env, profile.value, (before) => ({ ...before, pins: { ...before.pins, [key]: pin } }));
    context.printResult(
      { profile: profile.value, ...(await describePin(key, pin)) },
      text`Pinned ${pin.name} at ${key} (profile ${profile.value}).`,
    );
  },
});

const PROMPT = 'Type the fingerprint that you got from another source: ';

function parseRegistryUrl(url: string): string {
  const problem = settingSources.url.check(url);
  if (problem) throw new UsageError(`'${url}' ${problem}.`, ['trust']);
  return toPinKey(url);
}

async function readPin(context: Context, url: string): Promise<{ pin: Pin; identity: RegistryIdentity }> {
  const { createPin } = await import('../trust/pins.js');
  const client = await connectTo(context, url);
  const identity = await client.getRegistryIdentity();
  if (identity.chainId === undefined) {
    throw new CommandError('UNAVAILABLE', 3, 'The registry does not know its chain at the moment. Try again later.');
  }
  try {
    return { pin: createPin(identity, identity.chainId, new Date().toISOString()), identity };
  } catch {
    throw new CommandError('INVALID_RESPONSE', 3, 'The registry publishes a certificate that cannot be read.');
  }
}

async function showIdentity(context: Context, url: string, identity: RegistryIdentity, pin: Pin): Promise<void> {
  const { shortFingerprint } = await import('@provenance-registry/core');
  const { parsePinRoots } = await import('../trust/pins.js');
  const { signerRoots, timestampRoots, ownTimestampRoots } = parsePinRoots(pin);
  const rootRows = (label: string, roots: readonly Root[], remark = ''): Piece[][] =>
    roots.flatMap(({ subject, sha256 }) => [
      [bold(label), `${subject}${remark}`],
      ['', shortFingerprint(sha256)],
    ]);
  const rows: Piece[][] = [
    [bold('Name'), identity.name],
    [bold('URL'), identity.url],
    [bold('Chain'), pin.chainId],
    [bold('Contract'), pin.contract],
    [bold('Since'), identity.since],
    ...rootRows('Signer root', signerRoots),
    ...rootRows('Time-stamp root', timestampRoots),
    ...rootRows('Time-stamp root', ownTimestampRoots, " (the registry's own authority)"),
    [bold('Fingerprint'), bold(shortFingerprint(pin.fingerprint))],
  ];
  const advice =
    'Compare the fingerprint with a source other than this service, such as printed matter, the website of the operator ' +
    'on another host, or a person you trust. Copying it from above would prove nothing.';
  context.printNote(
    joinLines([
      text`${url} says about itself:`,
      text``,
      formatTable(rows),
      text``,
      wrapText(advice, context.columns),
      text``,
    ]),
  );
}

async function mismatchError(url: string, { fingerprint }: Pin): Promise<CommandError> {
  const { shortFingerprint } = await import('@provenance-registry/core');
  return new CommandError(
    'FINGERPRINT_MISMATCH',
    1,
    `The fingerprint of ${url} is ${shortFingerprint(fingerprint)}, not the one that you got: nothing was pinned.`,
  );
}

const listCommand = defineCommand({
  name: 'list',
  summary: 'list pinned registries',
  description: 'Lists the registries that are pinned in the profile. Sends no request.',
  examples: { 'provenance trust list': 'Pinned registries and their fingerprints' },
  async run(context) {
    const pins = Object.entries((await readProfile(context)).pins ?? {});
    const described = await Promise.all(pins.map(([url, pin]) => describePin(url, pin)));
    const { shortFingerprint } = await import('@provenance-registry/core');
    const rows = described.map(({ url, name, chainId, fingerprint, addedAt }) => [
      url,
      name,
      chainId,
      shortFingerprint(fingerprint),
      addedAt.slice(0, 10),
    ]);
    context.printResult(described, formatList(['URL', 'NAME', 'CHAIN', 'FINGERPRINT', 'ADDED'], rows));
  },
});

const removeCommand = defineCommand({
  name: 'remove',
  summary: 'remove a pinned registry',
  description: 'Removes a registry from those that are pinned in the profile. Exit code 1: it is not pinned.',
  arguments: { url: registryArgument },
  examples: { 'provenance trust remove "$REGISTRY_URL"': 'Remove a pin' },
  async run(context, { url }) {
    const key = parseRegistryUrl(url);
    const { profile } = await context.loadSettings();
    if (!(await readProfile(context)).pins?.[key]) throw new CommandError('NOT_FOUND', 1, `${key} is not pinned.`);
    await changeProfile(context.env, profile.value, ({ pins, ...before }) => {
      const { [key]: _, ...rest } = pins ?? {};
      return { ...before, pins: rest };
    });
    context.printResult(
      { profile: profile.value, url: key },
      text`Removed the pin of ${key} (profile ${profile.value}).`,
    );
  },
});

async function readProfile(context: Context) {
  const { profile } = await context.loadSettings();
  const { config } = await readConfig(configPath(context.env));
  return config.profiles[profile.value] ?? {};
}

async function describePin(url: string, pin: Pin) {
  const { parsePinRoots } = await import('../trust/pins.js');
  const { signerRoots, timestampRoots, ownTimestampRoots } = parsePinRoots(pin);
  const describe = ({ subject, sha256 }: Root) => ({ subject, sha256 });
  const { name, chainId, contract, fingerprint, addedAt } = pin;
  return {
    url,
    name,
    chainId,
    contract,
    signerRoots: signerRoots.map(describe),
    timestampRoots: [
      ...timestampRoots.map((root) => ({ ...describe(root), isIndependent: true })),
      ...ownTimestampRoots.map((root) => ({ ...describe(root), isIndependent: false })),
    ],
    fingerprint,
    addedAt,
  };
}

export const trustGroup: CommandGroup = {
  name: 'trust',
  summary: 'pin registries that you have compared',
  description:
    'A pinned registry is one whose chain, contract and roots you compared with another source. If it changes later ' +
    'without the consent of a pinned root, verify raises an alarm.',
  commands: [addCommand, listCommand, removeCommand],
};

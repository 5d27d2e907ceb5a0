// `config trust`: pins registries whose fingerprint the user has compared with another source.

import type { RegistryIdentity } from '@provenance-registry/core';
import { type CommandGroup, defineCommand } from '../command.js';
import type { RegistryRecord } from '../configSchema.js';
import type { Context } from '../context.js';
import { CommandError, UsageError } from '../errors.js';
import { promptUser } from '../prompt.js';
import { createServiceClient } from '../serviceClient.js';
import { settingSources, toRegistryKey } from '../settings.js';
import { bold, formatList, formatTable, joinLines, type Piece, text, wrapText } from '../text.js';
import type { Root } from '../trust/certificates.js';
import { compareDnsRecord, type DnsComparison, describeDnsComparison } from '../trust/fingerprintRecord.js';
import {
  forgetRegistry,
  type KnownRegistry,
  listKnownRegistries,
  pinRecord,
  readKnownRegistry,
} from '../trust/knownRegistries.js';

const registryArgument = { label: 'URL', summary: 'base URL of the registry' } as const;

const addCommand = defineCommand({
  name: 'add',
  summary: 'pin a registry after comparing its fingerprint',
  description:
    'Shows chain, contract and roots that a registry publishes, and asks for its fingerprint from another source: the ' +
    "operator's website, printed matter, a person you trust. If both are the same, the registry is pinned in the " +
    'profile: verify then relies on the pinned values instead of what the service says. The DNS record of the host is ' +
    'compared, too; it does not count alone, since the answer could be forged on its way. Without a terminal, --expect ' +
    'is required. --witness pins witnesses of its log that receipts must have, too. Exit code 1: the fingerprints differ, or that of the DNS record does and --expect is not given.',
  arguments: { url: registryArgument },
  options: {
    expect: { label: 'FINGERPRINT', summary: 'fingerprint from another source, in its short or full form' },
  },
  examples: {
    'provenance config trust add "$REGISTRY_URL" --expect "$REGISTRY_FINGERPRINT"': 'Pin a registry in a script',
  },
  async run(context, { url, expect: expected }) {
    const key = parseRegistryUrl(url);
    if (expected === undefined && !context.stdin.isTTY) {
      throw new UsageError('Without a terminal, the fingerprint is required: --expect FINGERPRINT.');
    }
    const { parseExpectedFingerprint } = await import('../trust/expectedFingerprint.js');
    const given = expected === undefined ? undefined : parseExpectedFingerprint(expected);
    const { record: read, identity } = await readRecord(context, key);
    const { profile, witness } = await context.loadSettings();
    const record = { ...read, ...(witness && { witnesses: [...witness.value] }) };
    const dns = await compareDnsRecord(key, record.fingerprint);
    if (given === undefined) await showIdentity(context, key, identity, { record, dns });
    if (given === undefined && dns.state === 'differs') throw dnsMismatchError(dns);
    const digits = given ?? parseExpectedFingerprint(await promptUser(context, PROMPT, 'open'));
    if (!record.fingerprint.startsWith(digits)) throw await mismatchError(key, record, dns);
    await pinRecord(context.env, profile.value, key, record);
    const { name = null, state } = dns;
    context.printResult(
      { profile: profile.value, ...(await describeRegistry(key, { record, isCompared: true })), dns: { name, state } },
      joinLines([
        text`Pinned ${record.name} at ${key} (profile ${profile.value}).`,
        text`DNS ${describeDnsComparison(dns)}.`,
      ]),
    );
  },
});

const PROMPT = 'Type the fingerprint that you got from another source: ';

function parseRegistryUrl(url: string): string {
  const problem = settingSources.url.check(url);
  if (problem) throw new UsageError(`'${url}' ${problem}.`);
  return toRegistryKey(url);
}

async function readRecord(
  context: Context,
  url: string,
): Promise<{ record: RegistryRecord; identity: RegistryIdentity }> {
  const { createRecord } = await import('../trust/registryRecords.js');
  const client = await createServiceClient(context, url);
  const identity = await client.getRegistryIdentity();
  if (identity.chainId === undefined) {
    throw new CommandError('UNAVAILABLE', 3, 'The registry does not know its chain at the moment. Try again later.');
  }
  try {
    return { record: await createRecord(identity, identity.chainId, new Date().toISOString()), identity };
  } catch {
    throw new CommandError('INVALID_RESPONSE', 3, 'The registry publishes a certificate that cannot be read.');
  }
}

async function showIdentity(
  context: Context,
  url: string,
  identity: RegistryIdentity,
  { record, dns }: { readonly record: RegistryRecord; readonly dns: DnsComparison },
): Promise<void> {
  const { shortFingerprint } = await import('@provenance-registry/core');
  const { parseRecordRoots } = await import('../trust/registryRecords.js');
  const { signerRoots, timestampRoots, ownTimestampRoots } = parseRecordRoots(record);
  const rootRows = (label: string, roots: readonly Root[], remark = ''): Piece[][] =>
    roots.flatMap(({ subject, sha256 }) => [
      [bold(label), `${subject}${remark}`],
      ['', shortFingerprint(sha256)],
    ]);
  const rows: Piece[][] = [
    [bold('Name'), identity.name],
    [bold('URL'), identity.url],
    [bold('Chain'), record.chainId],
    [bold('Contract'), record.contract],
    [bold('Since'), identity.since],
    ...rootRows('Signer root', signerRoots),
    ...rootRows('Time-stamp root', timestampRoots),
    ...rootRows('Time-stamp root', ownTimestampRoots, " (the registry's own authority)"),
    ...(record.logKeys ?? []).map((key) => [bold('Log key'), key]),
    ...(record.logContract === undefined ? [] : [[bold('Log contract'), record.logContract]]),
    ...(record.witnesses ?? []).map((key) => [bold('Witness'), key]),
    [bold('Fingerprint'), bold(shortFingerprint(record.fingerprint))],
    ...(await describeBefore(context, url, record)).map((before) => [bold('Before'), before]),
    [bold('DNS'), describeDnsComparison(dns)],
  ];
  const advice =
    'Compare the fingerprint with a source other than this service, such as printed matter, the website of the operator ' +
    'on another host, or a person you trust. Copying it from above would prove nothing, and the DNS record alone little.';
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

/** Another registry that was known at this URL. */
async function describeBefore(context: Context, url: string, { fingerprint }: RegistryRecord): Promise<string[]> {
  const { profile } = await context.loadSettings();
  const known = await readKnownRegistry(context.env, profile.value, url);
  if (!known || known.record.fingerprint === fingerprint) return [];
  const { shortFingerprint } = await import('@provenance-registry/core');
  const { record, isCompared } = known;
  return [
    `${shortFingerprint(record.fingerprint)}, ${isCompared ? 'compared' : 'remembered'} on ${record.addedAt.slice(0, 10)}`,
  ];
}

function dnsMismatchError(dns: DnsComparison): CommandError {
  return new CommandError(
    'DNS_MISMATCH',
    1,
    `DNS ${describeDnsComparison(dns)}: nothing was pinned. If you got the fingerprint above from another source, pass it with --expect.`,
  );
}

async function mismatchError(url: string, { fingerprint }: RegistryRecord, dns: DnsComparison): Promise<CommandError> {
  const { shortFingerprint } = await import('@provenance-registry/core');
  return new CommandError(
    'FINGERPRINT_MISMATCH',
    1,
    `The fingerprint of ${url} is ${shortFingerprint(fingerprint)}, not the one that you got: nothing was pinned. ` +
      `DNS ${describeDnsComparison(dns)}.`,
  );
}

const listCommand = defineCommand({
  name: 'list',
  summary: 'list pinned and remembered registries',
  description:
    'Lists the registries that are pinned in the profile ("compared"), and those that were only remembered when a command ' +
    'first contacted them ("remembered"). Sends no request.',
  examples: { 'provenance config trust list': 'Known registries and their fingerprints' },
  async run(context) {
    const { profile } = await context.loadSettings();
    const known = await listKnownRegistries(context.env, profile.value);
    const ordered = known.toSorted(([, one], [, other]) => Number(other.isCompared) - Number(one.isCompared));
    const described = await Promise.all(ordered.map(([url, registry]) => describeRegistry(url, registry)));
    const { shortFingerprint } = await import('@provenance-registry/core');
    const rows = described.map(({ url, name, chainId, fingerprint, addedAt, isCompared }) => [
      url,
      name,
      chainId,
      shortFingerprint(fingerprint),
      addedAt.slice(0, 10),
      isCompared ? 'compared' : 'remembered',
    ]);
    context.printResult(described, formatList(['URL', 'NAME', 'CHAIN', 'FINGERPRINT', 'ADDED', 'STATE'], rows));
  },
});

const removeCommand = defineCommand({
  name: 'remove',
  summary: 'forget a pinned or remembered registry',
  description:
    'Removes a registry from those that are pinned in the profile or remembered. Exit code 1: it is not known.',
  arguments: { url: registryArgument },
  examples: { 'provenance config trust remove "$REGISTRY_URL"': 'Remove a pin' },
  async run(context, { url }) {
    const key = parseRegistryUrl(url);
    const { profile } = await context.loadSettings();
    const isForgotten = await forgetRegistry(context.env, profile.value, key);
    if (!isForgotten) throw new CommandError('NOT_FOUND', 1, `${key} is neither pinned nor remembered.`);
    context.printResult({ profile: profile.value, url: key }, text`Forgot ${key} (profile ${profile.value}).`);
  },
});

async function describeRegistry(url: string, { record, isCompared }: Omit<KnownRegistry, 'profile'>) {
  const { parseRecordRoots } = await import('../trust/registryRecords.js');
  const { signerRoots, timestampRoots, ownTimestampRoots } = parseRecordRoots(record);
  const describe = ({ subject, sha256 }: Root) => ({ subject, sha256 });
  const { name, chainId, contract, fingerprint, addedAt, logKeys = [], logContract = null, witnesses = [] } = record;
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
    logKeys,
    logContract,
    witnesses,
    fingerprint,
    addedAt,
    isCompared,
  };
}

export const trustGroup: CommandGroup = {
  name: 'trust',
  summary: 'pin registries that you have compared',
  description:
    'A pinned registry is one whose chain, contract and roots you compared with another source. Others are remembered at ' +
    'first contact, as ssh does. If either changes later without the consent of a known root, that is an alarm. ' +
    "'provenance trust' is short for this group.",
  commands: [addCommand, listCommand, removeCommand],
};

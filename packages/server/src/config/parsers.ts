// Parsers of settings: each returns the value, or throws an error that says what is wrong and shows no secret.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { isDisplayName, isEmailAddress, overrideTiers, TierOverrides, type TierTable } from '@provenance-registry/core';
import { parsePolicy, type Quorum, type VerifierKey } from '@provenance-registry/log';
import { Value } from 'typebox/value';

export function parseText(text: string): string {
  return text;
}

export function parseDisplayName(text: string): string {
  if (!isDisplayName(text)) throw new Error('not a name of 1 to 120 visible characters');
  return text;
}

export function parseHostName(text: string): string {
  if (!/^[\w.:-]+$/.test(text)) throw new Error(`"${text}" is not an address to listen on`);
  return text;
}

export function parseAddressRanges(text: string): string[] {
  return text.split(',').map((item) => {
    const range = item.trim();
    const [address = '', prefix, ...rest] = range.split('/');
    const maximum = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= maximum);
    // A zone (fe80::1%eth0) names an interface, not a proxy.
    if (maximum < 0 || !isPrefix || rest.length > 0 || address.includes('%')) {
      throw new Error(`"${range}" is not an IP address or a CIDR range`);
    }
    return range;
  });
}

export function parseDnsServers(text: string): string[] {
  return text.split(',').map((item) => {
    const server = item.trim();
    const [, bracketed, plain, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(server) ?? [];
    const isServer = isIP(server) > 0 || isIP(bracketed ?? '') === 6 || isIP(plain ?? '') === 4;
    const isPort = port === undefined || (Number(port) >= 1 && Number(port) <= 65_535);
    if (!isServer || !isPort) throw new Error(`"${server}" is not an IP address, or one with a port`);
    return server;
  });
}

export function parseInteger(minimum: number, maximum: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new Error(`"${text}" is not a whole number from ${minimum} to ${maximum}`);
    }
    return value;
  };
}

export function parseFraction(text: string): number {
  const value = Number(text);
  if (!/^\d*\.?\d+$/.test(text) || value > 1) throw new Error(`"${text}" is not a number from 0 to 1`);
  return value;
}

export function parseOneOf<const T extends string>(...allowed: readonly T[]) {
  return (text: string): T => {
    const value = allowed.find((item) => item === text);
    if (value === undefined) throw new Error(`"${text}" is not one of ${allowed.join(', ')}`);
    return value;
  };
}

/** A URL without trailing slashes, so that paths can be appended. The error does not quote it: it may contain a password. */
export function parseWebAddress(text: string): string {
  if (!hasScheme(text, 'http:', 'https:')) throw new Error('not an http:// or https:// address');
  return text.replace(/\/+$/, '');
}

/** True if only this machine can reach the address. */
export function isLoopbackAddress(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise by STARTTLS. */
  readonly implicitTls: boolean;
  /** The server is on this machine, which alone can reach it. */
  readonly isLoopback: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

/** The error does not quote it: it may contain a password. */
export function parseMailServer(text: string): MailServer {
  if (!hasScheme(text, 'smtp:', 'smtps:')) throw new Error('not an smtp:// or smtps:// address');
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  if (hostname === '') throw new Error('has no host');
  if (!/^\/?$/.test(pathname) || search || hash) throw new Error('has more than user, password, host and port');
  if ((username === '') !== (password === '')) throw new Error('has a user without a password, or the other way round');
  const implicitTls = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (implicitTls ? 465 : 587) : Number(port),
    implicitTls,
    isLoopback: isLoopbackHost(hostname),
    credentials: username === '' ? undefined : { user: decodePart(username), password: decodePart(password) },
  };
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a percent sign that is not part of a percent-encoding');
  }
}

export interface SenderAddress {
  readonly name: string | undefined;
  readonly address: string;
}

export function parseSenderAddress(text: string): SenderAddress {
  const [, name, quoted] = /^(.*?)\s*<([^<>]*)>$/.exec(text) ?? [];
  const address = quoted ?? text;
  if (!isEmailAddress(address) || /["<>,;]/.test(address))
    throw new Error(`"${text}" is not an address or Name <address>`);
  if (name && !isDisplayName(name)) throw new Error('the name is not one of 1 to 120 visible characters');
  return { name: name?.replace(/^"(.*)"$/, '$1') || undefined, address };
}

export function parsePostgresAddress(text: string): string {
  if (!hasScheme(text, 'postgres:', 'postgresql:')) throw new Error('not a postgres:// address');
  // The driver would look up the whole list as one host name, and wait for it.
  if (new URL(text).hostname.includes(',')) throw new Error('names several hosts, but one address is needed');
  return text;
}

function hasScheme(text: string, ...schemes: string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol);
}

export function parseBucketAddress(text: string) {
  const match = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/?$/.exec(text);
  if (!match?.[1]) throw new Error(`"${text}" is not of the form s3://bucket/prefix`);
  const prefix = match[2] ?? '';
  // In a URL these refer to another folder.
  if (prefix.split('/').some((part) => part === '.' || part === '..')) throw new Error('"." or ".." in the prefix');
  return { bucket: match[1], prefix };
}

export function parseHex(bytes: number, what: string) {
  return (text: string): `0x${string}` => {
    if (!new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`).test(text)) {
      throw new Error(`not ${what}: 0x and ${bytes * 2} hexadecimal digits`);
    }
    return `0x${text.slice(2)}`;
  };
}

export interface LogWitnesses {
  readonly quorum: Quorum | undefined;
  readonly witnesses: readonly { readonly key: VerifierKey; readonly url: string }[];
  /** What others need to know of it: without the addresses. */
  readonly text: string;
}

/** The witnesses of a policy file, each of which needs an address. */
export function readLogWitnesses(path: string): LogWitnesses {
  const text = readFileSync(requireReadableFile(path), 'utf8');
  const { witnesses, quorum } = parsePolicy(text);
  if (witnesses.length === 0) throw new Error(`"${path}" names no witness`);
  const lines = text.split('\n').map((line) => line.trim().split(/[ \t]+/));
  const shared = lines.flatMap(([keyword, ...items]) =>
    keyword === 'witness'
      ? [['witness', ...items.slice(0, 2)]]
      : keyword === 'group' || keyword === 'quorum'
        ? [[keyword, ...items]]
        : [],
  );
  return {
    quorum,
    witnesses: witnesses.map(({ key, url }) => {
      if (url === undefined) throw new Error(`"${path}" has no address of the witness ${key.name}`);
      return { key, url: parseWebAddress(url) };
    }),
    text: shared.map((items) => `${items.join(' ')}\n`).join(''),
  };
}

export function requireReadableFile(text: string): string {
  try {
    readFileSync(text);
  } catch (error) {
    throw new Error(`"${text}" cannot be read (${error instanceof Error && 'code' in error ? error.code : error})`);
  }
  return resolve(text);
}

/** A program and its arguments, split at spaces: no shell is involved. */
export function parseCommandLine(text: string): readonly [string, ...string[]] {
  const [program = '', ...args] = text.split(/\s+/);
  return [program, ...args];
}

/** RFC 7518 requires an HS256 key to be as long as its hash; a shorter one can be guessed from any token. */
export function parseSecret(text: string): string {
  if (text.length < 32) throw new Error('shorter than 32 characters');
  return text;
}

export function parseToken(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new Error('has characters that cannot stand in a header');
  return text;
}

export function readTierTable(path: string): TierTable {
  const text = readFileSync(requireReadableFile(path), 'utf8');
  let overrides: unknown;
  try {
    overrides = JSON.parse(text);
  } catch {
    throw new Error(`"${path}" is not JSON`);
  }
  if (!Value.Check(TierOverrides, overrides)) {
    const reasons = Value.Errors(TierOverrides, overrides).map(
      ({ instancePath, message }) => `${instancePath || '/'} ${message}`,
    );
    throw new Error(`"${path}" is not a tier table: ${reasons.join('; ')}`);
  }
  return overrideTiers(overrides);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings with the contents of secret files in place, without the line break at their end. */
export function readSecretFiles(
  names: readonly string[],
  variables: Environment,
): { environment: Environment; problems: string[] } {
  const environment = { ...variables };
  const problems: string[] = [];
  for (const name of names) {
    const path = variables[`${name}_FILE`]?.trim();
    if (!path) continue;
    try {
      if (variables[name]?.trim()) throw new Error(`${name} is set too`);
      const text = readFileSync(requireReadableFile(path), 'utf8').replace(/\r?\n$/, '');
      if (text.trim() === '') throw new Error(`"${path}" is empty`);
      environment[name] = text;
    } catch (error) {
      problems.push(`${name}_FILE: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { environment, problems };
}

/** The settings whose names start with the prefix. */
export function settingsOf(prefix: string, environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.startsWith(prefix)));
}

// Whose signatures a checkpoint needs: the text of c2sp.org/tlog-policy, which names logs, witnesses and a quorum.

import { bytesToHex } from '@noble/hashes/utils';
import { LogFormatError } from '../errors.js';
import { parseVerifierKey, type VerifierKey } from './keys.js';

export interface LogPolicy {
  /** Their name is the origin of the log. One of them has to sign: after a rotation the earlier ones are known too. */
  readonly logKeys: readonly VerifierKey[];
  readonly witnesses: readonly PolicyWitness[];
  /** Undefined: no witness has to sign. */
  readonly quorum: Quorum | undefined;
}

export interface PolicyWitness {
  readonly key: VerifierKey;
  /** Where it takes checkpoints; not needed to verify one. */
  readonly url?: string;
}

/** A witness, or so many members of a group. */
export type Quorum = VerifierKey | { readonly needed: number; readonly members: readonly Quorum[] };

const MAX_TEXT_LENGTH = 64 * 1024;
const MAX_LINES = 1_000;
/** No name of a witness or a group. */
const NONE = 'none';

/** @throws LogFormatError that names the line */
export function parsePolicy(text: string): LogPolicy {
  const lines = text.split('\n');
  if (text.length > MAX_TEXT_LENGTH || lines.length > MAX_LINES) throw new LogFormatError('The policy is too long.');
  const reader = new PolicyReader();
  for (const [index, line] of lines.entries()) {
    const items = line.split(/[ \t]+/).filter((item) => item !== '');
    if (items.length === 0 || items[0]?.startsWith('#')) continue;
    try {
      reader.readLine(items);
    } catch (error) {
      if (!(error instanceof LogFormatError)) throw error;
      throw new LogFormatError(`Line ${index + 1} of the policy: ${error.message}`);
    }
  }
  return reader.finish();
}

/** The text of a policy in which all of these witnesses have to sign. */
export function formatPolicy(logKeys: readonly string[], witnesses: readonly string[] = []): string {
  const names = witnesses.map((_, index) => `w${index + 1}`);
  const lines = [
    ...logKeys.map((key) => `log ${key}`),
    ...witnesses.map((key, index) => `witness ${names[index]} ${key}`),
    ...(names.length > 0 ? [`group all-witnesses all ${names.join(' ')}`, 'quorum all-witnesses'] : [`quorum ${NONE}`]),
  ];
  return `${lines.join('\n')}\n`;
}

/** Whether these keys are enough. */
export function isQuorum(quorum: Quorum | undefined, signed: ReadonlySet<VerifierKey>): boolean {
  if (!quorum) return true;
  if (!('members' in quorum)) return signed.has(quorum);
  return quorum.members.filter((member) => isQuorum(member, signed)).length >= quorum.needed;
}

class PolicyReader {
  readonly #logKeys: VerifierKey[] = [];
  readonly #witnesses: PolicyWitness[] = [];
  readonly #named = new Map<string, Quorum>();
  readonly #publicKeys = new Set<string>();
  #quorum: { readonly value: Quorum | undefined } | undefined;

  readLine([keyword, ...items]: readonly string[]): void {
    if (keyword === 'log') this.#readLog(items);
    else if (keyword === 'witness') this.#readWitness(items);
    else if (keyword === 'group') this.#readGroup(items);
    else if (keyword === 'quorum') this.#readQuorum(items);
    else throw new LogFormatError('it begins with none of log, witness, group and quorum.');
  }

  finish(): LogPolicy {
    if (!this.#quorum) throw new LogFormatError('The policy has no quorum.');
    return { logKeys: this.#logKeys, witnesses: this.#witnesses, quorum: this.#quorum.value };
  }

  #readLog([vkey = '', _url, ...rest]: readonly string[]): void {
    requireEnd(rest);
    const key = this.#readKey(vkey, 'log');
    const [first] = this.#logKeys;
    // A rule of ours: what is verified here is always one log.
    if (first && first.name !== key.name) throw new LogFormatError('its key is one of another log.');
    this.#logKeys.push(key);
  }

  #readWitness([name = '', vkey = '', url, ...rest]: readonly string[]): void {
    requireEnd(rest);
    const key = this.#readKey(vkey, 'cosignature');
    this.#define(name, key);
    this.#witnesses.push({ key, ...(url !== undefined && { url }) });
  }

  #readGroup([name = '', count = '', ...names]: readonly string[]): void {
    const members = names.map((member) => this.#find(member));
    const needed = count === 'all' ? members.length : count === 'any' ? 1 : /^[1-9]\d{0,3}$/.test(count) ? +count : 0;
    if (needed === 0 || needed > members.length || new Set(members).size < members.length) {
      throw new LogFormatError('a group has "all", "any" or a number, and at least as many different members.');
    }
    this.#define(name, { needed, members });
  }

  #readQuorum([name = '', ...rest]: readonly string[]): void {
    requireEnd(rest);
    if (this.#quorum) throw new LogFormatError('it is a second quorum.');
    this.#quorum = { value: name === NONE ? undefined : this.#find(name) };
  }

  /** A cosignature does not contain the name of its witness: one key under two names would count twice. */
  #readKey(text: string, kind: VerifierKey['kind']): VerifierKey {
    const key = parseVerifierKey(text);
    if (key.kind !== kind)
      throw new LogFormatError(`its key is not the key of a ${kind === 'log' ? 'log' : 'witness'}.`);
    const publicKey = bytesToHex(key.publicKey);
    if (this.#publicKeys.has(publicKey)) throw new LogFormatError('its key is in the policy twice.');
    this.#publicKeys.add(publicKey);
    return key;
  }

  #define(name: string, value: Quorum): void {
    if (name === '' || name === NONE || this.#named.has(name)) {
      throw new LogFormatError(`the name ${name || '(none)'} is taken or missing.`);
    }
    this.#named.set(name, value);
  }

  #find(name: string): Quorum {
    const found = this.#named.get(name);
    if (!found) throw new LogFormatError(`there is no witness or group ${name || '(no name)'} before it.`);
    return found;
  }
}

function requireEnd(rest: readonly string[]): void {
  if (rest.length > 0) throw new LogFormatError('it has more than it may have.');
}

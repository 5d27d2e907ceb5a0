// Changes of the receipt in a bundle that nothing signs anew: its lines, numbers, hashes and signatures, the leaf, the opening,
// and parts of another receipt.

import type { Bundle } from '../../src/index.js';
import { pick, type Random } from './seededChoices.js';

type Log = NonNullable<Bundle['log']>;
type ChangeText = (text: string, random: Random, other: string) => string;

const at = (lines: readonly string[], random: Random) => Math.floor(random() * lines.length);
const inLines =
  (
    change: (lines: string[], place: number, others: readonly string[], random: Random) => readonly string[],
  ): ChangeText =>
  (text, random, other) => {
    const lines = text.split('\n');
    return change(lines, at(lines, random), other.split('\n'), random).join('\n');
  };
const inMatch =
  (form: RegExp, change: (found: string, random: Random) => string): ChangeText =>
  (text, random) => {
    const matches = [...text.matchAll(form)];
    if (matches.length === 0) return text;
    const { index, 0: found } = pick(random, matches);
    return text.slice(0, index) + change(found, random) + text.slice(index + found.length);
  };

/** Of a key that no caller knows: readers have to ignore it. */
const unknownSignature = `— other.example/log ${Buffer.alloc(68, 7).toString('base64')}\n`;

const ofReceipt: readonly ChangeText[] = [
  inLines((lines, place) => lines.toSpliced(place, 1)),
  inLines((lines, place) => lines.toSpliced(place, 0, lines[place] ?? '')),
  inLines((lines, place, _, random) => lines.toSpliced(place, 1).toSpliced(at(lines, random), 0, lines[place] ?? '')),
  inLines((lines, place, others, random) => lines.with(place, pick(random, others))),
  inLines((lines, place, _, random) =>
    lines.toSpliced(place, 0, pick(random, ['', ' ', 'index 5', 'extra AAAA', '\r', 'x'])),
  ),
  inMatch(/\d+/g, (digits, random) =>
    pick(random, [
      `${Number(digits) + 1}`,
      `${Number(digits) - 1}`,
      `0${digits}`,
      `+${digits}`,
      `${digits}.0`,
      '٥',
      '9007199254740992',
    ]),
  ),
  inMatch(/[A-Za-z0-9+/]{40,}=*/g, (base64, random) => {
    const bytes = Buffer.from(base64, 'base64');
    const place = Math.floor(random() * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << Math.floor(random() * 8)), place);
    return pick(random, [bytes.toString('base64'), bytes.subarray(1).toString('base64'), bytes.toString('base64url')]);
  }),
  inMatch(/[A-Za-z0-9+/]{40,}=*/g, respellBase64),
  inMatch(/\n/g, (_, random) => pick(random, ['\r\n', '\n\n', '\u2028', '\u0085', ' \n', '\n ', '\0\n'])),
  inMatch(/— /g, (_, random) => pick(random, ['- ', '—', '—\u00a0', '\u2014 ', '— x', ' — ', '—  '])),
  inMatch(/(?<=\n)— /g, (dash, random) => unknownSignature.repeat(pick(random, [1, 2, 15, 62, 63, 64])) + dash),
  (text) => text + unknownSignature,
  (text, random) =>
    text + pick(random, ['\n', ' ', 'x', '— \n', `— x AAAA\n`, '— registry.example/log AAAAAAAA\n', '\ufeff']),
  (text, random) => text.slice(0, Math.floor(random() * text.length)),
  (text, _, other) => `${text.slice(0, text.indexOf('\n\n'))}${other.slice(other.indexOf('\n\n'))}`,
  (text, random) => pick(random, ['\ufeff', ' ', '\n']) + text,
];

const ofLeaf: readonly ChangeText[] = [
  (_, __, other) => other,
  inMatch(/artifact|rendition/g, (_, random) =>
    pick(random, ['rendition', 'artifact', 'failed', 'content', 'Artifact', 'artifact ']),
  ),
  inMatch(/\/1 /g, (_, random) => pick(random, ['/2 ', '/1  ', '/01 ', '/ '])),
  inMatch(/[0-9a-f]/g, (_, random) => pick(random, ['0', 'f', 'A', 'g'])),
  inMatch(/[,:{}"]/g, (found, random) => pick(random, ['', ` ${found}`, `${found}${found}`])),
  (text, random) => text + pick(random, ['\n', ' ', '\0', '\n{}', '\ud800']),
];

/** Another spelling of the same bytes, which readers refuse. */
export function respellBase64(base64: string, random: Random): string {
  const last = base64.replace(/=+$/, '').length - 1;
  const unused = base64.slice(0, last) + String.fromCharCode(base64.charCodeAt(last) + 1) + base64.slice(last + 1);
  const loose = [base64.replace(/=+$/, ''), `${base64}=`, `${base64}====`, `${base64.slice(0, 9)} ${base64.slice(9)}`];
  return pick(random, [unused, ...loose, base64.replaceAll('+', '-').replaceAll('/', '_'), base64.replace('=', '%3D')]);
}

function changeOpening(log: Log, random: Random, other: Log | undefined): void {
  // An earlier change may have left members out.
  const opening = { mark: '', ai: [], license: '', salt: '0x', ...(log.opening ?? other?.opening) };
  const { salt: _, ...withoutSalt } = opening;
  const lies: readonly unknown[] = [
    undefined,
    null,
    {},
    other?.opening,
    withoutSalt,
    { ...opening, license: pick(random, ['CC0-1.0', '', 'x'.repeat(40), 'x'.repeat(41), 'é']) },
    {
      ...opening,
      ai: pick<readonly unknown[]>(random, [
        [0, 0, 0, 0],
        [1, 1, 1],
        [0, 0, 0, 4],
        ['1', 1, 2, 2],
        [true, 1, 2, 2],
        [0.5, 1, 2, 2],
      ]),
    },
    { ...opening, mark: pick(random, ['', opening.mark.toUpperCase(), opening.mark.replace(/^./, '0')]) },
    { ...opening, salt: pick(random, ['0x', opening.salt.toUpperCase(), `0x${'0'.repeat(64)}`, `${opening.salt}\n`]) },
    { ...opening, more: 1 },
  ];
  Object.assign(log, {
    opening: pick(
      random,
      lies.map((lie) => [lie]),
    )[0],
  });
}

/** Bundles without a receipt stay as they are. */
export function changeReceipt({ log }: Bundle, { log: other }: Bundle, random: Random): void {
  if (!log) return;
  const part = random();
  if (part < 0.6) log.receipt = pick(random, ofReceipt)(log.receipt, random, other?.receipt ?? '');
  else if (part < 0.8) log.leaf = pick(random, ofLeaf)(log.leaf, random, other?.leaf ?? '');
  else changeOpening(log, random, other);
}

/** Each change of receipt and leaf, so many times. */
export function* listReceiptChanges(
  { log }: Bundle,
  { log: other }: Bundle,
  random: Random,
  times: number,
): Generator<Log> {
  if (!log) return;
  for (let count = 0; count < times; count += 1) {
    for (const change of ofReceipt) yield { ...log, receipt: change(log.receipt, random, other?.receipt ?? '') };
    for (const change of ofLeaf) yield { ...log, leaf: change(log.leaf, random, other?.leaf ?? '') };
  }
}

// Mutations of bundles: of their JSON and its spelling, of their text, of the bytes in their base64 and hex, of their receipt, and
// forgeries whose hashes agree.

import { manifestHashOf } from '@provenance-registry/core';
import { changed } from '../../../server/test/fuzz/mutations.js';
import type { Bundle } from '../../src/index.js';
import { mutateAnchor } from './anchorMutations.js';
import { changeBytes, chooseChange, mutateHex } from './byteMutations.js';
import { forgeHeader, forgeReceipt } from './forgedProofs.js';
import { respell } from './jsonSpellings.js';
import { changeReceipt, respellBase64 } from './receiptChanges.js';
import { pick, type Random } from './seededChoices.js';

export interface Mutant {
  readonly kind: string;
  readonly text: string;
}

/** A mutant of the bundle, from parts of another valid one among others. */
export function mutateBundle(bundle: Bundle, other: Bundle, random: Random): Mutant {
  const copy: Bundle = structuredClone(bundle);
  const kind = pick(random, kinds);
  const mutations = 1 + Math.floor(random() ** 3 * 3);
  for (let count = 0; count < mutations; count += 1) mutators[kind](copy, other, random);
  const text = JSON.stringify(copy);
  return {
    kind,
    text: kind === 'text' ? mutateText(text, random) : kind === 'spelling' ? respell(text, random) : text,
  };
}

type Mutator = (bundle: Bundle, other: Bundle, random: Random) => void;

const mutators = {
  json: mutateJson,
  proof: mutateProof,
  manifest: mutateManifest,
  forgery: forge,
  receipt: changeReceipt,
  anchor: mutateAnchor,
  text: () => {},
  spelling: () => {},
} satisfies Record<string, Mutator>;

/** c2pa-rs takes by far the longest: few mutants are of the manifest. */
const kinds: readonly (keyof typeof mutators)[] = [
  ...Array<'json'>(8).fill('json'),
  ...Array<'text'>(4).fill('text'),
  ...Array<'spelling'>(4).fill('spelling'),
  ...Array<'receipt'>(4).fill('receipt'),
  ...Array<'anchor'>(4).fill('anchor'),
  ...Array<'proof'>(4).fill('proof'),
  ...Array<'forgery'>(3).fill('forgery'),
  'manifest',
];

/** A place in a JSON document. */
interface Place {
  readonly parent: Record<string, unknown>;
  readonly key: string;
  readonly path: readonly string[];
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function listPlaces(parent: Record<string, unknown>, path: readonly string[] = []): Place[] {
  return Object.entries(parent).flatMap(([key, value]) => {
    const place = { parent, key, path: [...path, key] };
    return [place, ...(isContainer(value) ? listPlaces(value, place.path) : [])];
  });
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  const own = (value: unknown, key: string) =>
    isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return path.reduce<unknown>(own, document);
}

const HOSTILE: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2, 2 ** 53, 1e308, '', '0', '0x', '0x0', 'x', '\u0000', '\ud800', '\u202e'],
  ...[{}, [], [[]], { '': '' }, { toString: 1 }, 'a'.repeat(10_000), `0x${'f'.repeat(64)}`, '1970-01-01T00:00:00.000Z'],
];
const KEYS = ['constructor', 'toString', 'length', '0', '', 'source', 'timestamp', 'artifact', 'blockHash', 'version'];

function mutateJson(bundle: Bundle, other: Bundle, random: Random): void {
  const places = listPlaces(bundle);
  // Half of the time, a short part is as likely as a long one.
  const part = pick(random, ['fingerprint', 'manifestId', 'metadata', 'chain', 'log', 'maker', 'version']);
  const { parent, key, path } = pick(random, random() < 0.5 ? places : startingWith(part, places));
  const value = parent[key];
  const action = Math.floor(random() * 8);
  if (action === 0) removeAt(parent, key);
  else if (action === 1) parent[key] = structuredClone(pick(random, HOSTILE));
  else if (action === 2) parent[key] = structuredClone(valueAt(other, path));
  else if (action === 3) parent[key] = structuredClone(valueAt(bundle, pick(random, places).path));
  else if (action === 4 && isContainer(value)) addTo(value, random);
  else if (typeof value === 'number') parent[key] = value + pick(random, [-1, 1, 128, -value, 0.5]);
  else if (typeof value === 'string') parent[key] = editText(value, random);
  else if (typeof value === 'boolean' || value === null) parent[key] = !value;
  else parent[key] = structuredClone(valueAt(other, path));
}

/** All of them when an earlier mutation has removed the part. */
function startingWith(part: string, places: readonly Place[]): readonly Place[] {
  const inside = places.filter(({ path }) => path[0] === part);
  return inside.length > 0 ? inside : places;
}

function removeAt(parent: Record<string, unknown>, key: string): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

function addTo(container: Record<string, unknown>, random: Random): void {
  const value = structuredClone(pick(random, HOSTILE));
  if (Array.isArray(container)) container.splice(Math.floor(random() * (container.length + 1)), 0, value);
  else container[pick(random, KEYS)] = value;
}

function editText(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  const character = text.charAt(at);
  const edits = [
    text.slice(0, at) + pick(random, ['0', '1', 'f', 'A', '/', '=', ' ', '\u0000', 'é']) + text.slice(at + 1),
    text.slice(0, at) + text.slice(at + 1),
    text.slice(0, at) + character + text.slice(at),
    text.slice(0, at) + character.toUpperCase() + text.slice(at + 1),
    text.toUpperCase(),
    `${text} `,
    `${text}0`,
    text.slice(0, at),
  ];
  return pick(random, edits);
}

function mutateProof({ chain, log }: Bundle, _: Bundle, random: Random): void {
  const proofs = [chain, log?.anchor].flatMap((part) => part?.proof ?? []);
  if (proofs.length > 0) changeBytes(pick(random, proofs), random);
}

function mutateManifest(bundle: Bundle, _: Bundle, random: Random): void {
  if (random() < 0.3) bundle.manifest = respellBase64(bundle.manifest, random);
  else bundle.manifest = changed(Buffer.from(bundle.manifest, 'base64'), [chooseChange(random)]).toString('base64');
}

/** All hashes agree; only the hash of the block is another one. */
function forge(bundle: Bundle, _: Bundle, random: Random): void {
  const { chain, metadata } = bundle;
  if (!chain) return;
  const action = Math.floor(random() * 4);
  if (action === 0) {
    const field = pick(random, ['number', 'timestamp', 'extraData'] as const);
    const value = pick(random, ['0x', '0x01', '0x6553f100', '0x6a9d4dc0', '0x7fffffff'] as const);
    chain.proof = forgeHeader(chain.proof, field, value);
  } else if (action === 1) {
    chain.proof = forgeReceipt(chain.proof, mutateHex(chain.proof.receipt, random));
  } else if (action === 2 && metadata) {
    // Metadata of the forger's choice, with its hash in the log.
    const before = manifestHashOf(metadata);
    const { parent, key } = pick(random, listPlaces(metadata));
    const value = parent[key];
    parent[key] = typeof value === 'string' ? editText(value, random) : pick(random, [null, true, false, 1, 'x']);
    const receipt = chain.proof.receipt.replace(before.slice(2), manifestHashOf(metadata).slice(2));
    chain.proof = forgeReceipt(chain.proof, `0x${receipt.slice(2)}`);
  } else {
    const receipt = chain.proof.receipt.replace(chain.address.slice(2), 'ab'.repeat(20));
    chain.proof = forgeReceipt(chain.proof, `0x${receipt.slice(2)}`);
    chain.address = `0x${'ab'.repeat(20)}`;
  }
}

/** Mostly outside the manifest, which makes up most of the text. */
function mutateText(text: string, random: Random): string {
  const start = text.indexOf('"manifest":"') + 12;
  const end = text.indexOf('"', start);
  const [before, manifest, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)].map((part) =>
    Buffer.from(part),
  );
  if (!before || !manifest || !after) throw new Error('there is no manifest');
  const part = random();
  const change = chooseChange(random);
  const parts =
    part < 0.05
      ? [before, changed(manifest, [change]), after]
      : part < 0.2
        ? [changed(before, [change]), manifest, after]
        : [before, manifest, changed(after, [change])];
  return Buffer.concat(parts).toString('utf8');
}

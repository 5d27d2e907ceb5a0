// What users of the pages and of the extension read is in src/texts, so that a second language is a second folder there.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

const folderOf = (name: string) => fileURLToPath(new URL(`../../${name}/src/`, import.meta.url));
/** Their values are for programs, or names that are the same in every language. */
const exempt = /^(texts|badge)\/|deviceName\.ts$|\.(test\.tsx?|css\.ts)$/;
const technicalAttributes = new Set(['className', 'href', 'id', 'name', 'rel', 'role', 'type']);
const textAttributes = new Set(['alt', 'aria-label', 'hint', 'label', 'placeholder', 'title', 'what']);
/** Names of the web platform and of formats, and code. */
const technicalTexts =
  /^(Arrow(Up|Down)|Bearer|Enter|Files|WebP|NotReadableError|NotFoundError|cast call|provenance )|^[.<"/-]|^button /;

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly value?: unknown;
  readonly name?: { readonly name?: unknown };
  readonly source?: unknown;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** A text of several words, or one that begins with a capital letter. */
function isText(text: string): boolean {
  const hasWords = /\p{L}{2,} \p{L}/u.test(text) && !/^[a-z-]+( [a-z-]+)*$/.test(text);
  return (hasWords || /^\p{Lu}\p{Ll}/u.test(text)) && !technicalTexts.test(text);
}

function attributeName(node: SyntaxNode | undefined): string {
  return node?.type === 'JSXAttribute' && typeof node.name?.name === 'string' ? node.name.name : '';
}

function templateText(value: unknown): string | undefined {
  const cooked = typeof value === 'object' && value !== null && 'cooked' in value ? String(value.cooked) : '';
  return /\p{L}{2,} \p{L}/u.test(cooked) && isText(cooked) ? cooked : undefined;
}

function textOf({ type, value }: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  if (type === 'TemplateElement') return templateText(value);
  const isCompared = ['BinaryExpression', 'NewExpression'].includes(parent?.type ?? '');
  if (typeof value !== 'string' || (type === 'Literal' && isCompared)) return undefined;
  const isShown = type === 'JSXText' || textAttributes.has(attributeName(parent));
  const isWord = isShown && /\p{L}{2}/u.test(value) && !technicalTexts.test(value.trim());
  return isWord || isText(value) ? value : undefined;
}

function findTexts(node: SyntaxNode, parent?: SyntaxNode): { start: number; text: string }[] {
  if (
    ['TSLiteralType', 'ThrowStatement'].includes(node.type) ||
    node.source ||
    technicalAttributes.has(attributeName(node))
  )
    return [];
  const text = textOf(node, parent);
  const children = Object.values(node).flat().filter(isNode);
  return [
    ...(text === undefined ? [] : [{ start: node.start, text: text.trim() }]),
    ...children.flatMap((child) => findTexts(child, node)),
  ];
}

test.each([
  { name: 'web', leastFiles: 100 },
  { name: 'extension', leastFiles: 15 },
])('every text of $name is in src/texts', ({ name, leastFiles }) => {
  const folder = folderOf(name);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !exempt.test(file),
  );
  const found = files.flatMap((file) => {
    const code = readFileSync(join(folder, file), 'utf8');
    const root: unknown = parseAst(code, { lang: file.endsWith('x') ? 'tsx' : 'ts' });
    if (!isNode(root)) throw new Error(`${file} was not parsed`);
    return findTexts(root).map(({ start, text }) => `${file}:${code.slice(0, start).split('\n').length}: ${text}`);
  });
  expect(files.length).toBeGreaterThanOrEqual(leastFiles);
  expect(found).toEqual([]);
});

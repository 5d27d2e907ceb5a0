// Writes packages/core/words/confusables.txt from two files of Unicode: https://www.unicode.org/Public/security/latest/confusables.txt
// and https://www.unicode.org/license.txt
//   node scripts/confusables.mjs confusables.txt license.txt

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const MAX_LINE_LENGTH = 124;
/** So that a group fits on a line. */
const MAX_GROUP_SIZE = 20;

const [dataFile, licenseFile] = process.argv.slice(2);
if (dataFile === undefined || licenseFile === undefined) throw new Error('Name confusables.txt and license.txt.');
const data = readFileSync(dataFile, 'utf8');
const license = readFileSync(licenseFile, 'utf8').trim();
const version = /^# Version: (\S+)$/m.exec(data)?.[1];
if (version === undefined) throw new Error('This confusables.txt has no version.');

/** @type {Map<string, number[]>} */
const sources = new Map();
for (const [, source, target] of data.matchAll(/^([0-9A-F]+) ;\s*([0-9A-F ]+?) ;\s*MA/gm)) {
  const codePoint = Number.parseInt(source ?? '', 16);
  const character = String.fromCodePoint(codePoint);
  // Names are decomposed first, so others never occur.
  if (character.normalize('NFKD') !== character) continue;
  const key = (target ?? '')
    .split(' ')
    .map((code) => Number.parseInt(code, 16).toString(36))
    .join('.');
  sources.set(key, [...(sources.get(key) ?? []), codePoint]);
}

const lines = [''];
for (const [target, codePoints] of sources) {
  codePoints.sort((a, b) => a - b);
  for (let start = 0; start < codePoints.length; start += MAX_GROUP_SIZE) {
    const group = codePoints.slice(start, start + MAX_GROUP_SIZE);
    const deltas = group.map((codePoint, index) => (codePoint - (group[index - 1] ?? 0)).toString(36));
    const word = `${target}:${deltas.join('.')}`;
    const line = lines.at(-1) ?? '';
    if (line.length + 1 + word.length > MAX_LINE_LENGTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
}

const text = `From Unicode's confusables.txt ${version}, without characters that have a decomposition.

${license}
---
${lines.join('\n')}
`;
writeFileSync(fileURLToPath(new URL('../packages/core/words/confusables.txt', import.meta.url)), text);

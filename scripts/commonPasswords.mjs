// Writes packages/server/words/common-passwords.txt, the most common first, from @zxcvbn-ts/language-common, which is no dependency:
//   npm install --prefix FOLDER @zxcvbn-ts/language-common && node scripts/commonPasswords.mjs FOLDER

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Shorter ones are refused by their length. */
const MIN_LENGTH = 10;
const MAX_LINE_LENGTH = 124;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder in which @zxcvbn-ts/language-common is installed.');
const packageFolder = resolve(folder, 'node_modules/@zxcvbn-ts/language-common');
const { dictionary } = createRequire(`${packageFolder}/`)(packageFolder);
const { version } = JSON.parse(readFileSync(`${packageFolder}/package.json`, 'utf8'));
const license = readFileSync(`${packageFolder}/LICENSE.txt`, 'utf8').trim();

/** @type {string[]} */
const passwords = dictionary['passwords-common'];
const long = passwords
  .filter((password) => [...password].length >= MIN_LENGTH)
  .map((password) => password.toLowerCase());
const unsafe = long.filter((password) => /[\s`\\]|\$\{/.test(password));
if (unsafe.length > 0) throw new Error(`These cannot be written as they are: ${unsafe.join(' ')}`);

const lines = [''];
for (const password of new Set(long)) {
  const line = lines.at(-1) ?? '';
  if (line.length + 1 + password.length > MAX_LINE_LENGTH) lines.push(password);
  else lines[lines.length - 1] = line === '' ? password : `${line} ${password}`;
}

const text = `From @zxcvbn-ts/language-common ${version} (MIT)

${license}
---
${lines.join('\n')}
`;
writeFileSync(fileURLToPath(new URL('../packages/server/words/common-passwords.txt', import.meta.url)), text);

// The license texts of packages that a bundle contains.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @param {string[]} files the modules of the bundle */
export async function collectLicenses(files) {
  const folders = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []));
  const texts = [...folders].toSorted().map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file ? await readFile(join(folder, file), 'utf8') : 'The package contains no license text.';
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}

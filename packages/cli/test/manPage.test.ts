// The manual page in the package.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { rootGroup } from '../src/commands/index.js';
import { listCommands } from '../src/outputSchemas/documents.js';

const path = fileURLToPath(new URL('../bundle/provenance.1', import.meta.url));

it('has every command that the help lists, with its options and examples', async () => {
  const page = (await readFile(path, 'utf8')).replaceAll('\\-', '-');
  const unlisted = ['completion', 'help'];
  const commands = listCommands(rootGroup, []).map((command) => command.path);
  const missing = commands.filter((command) => !page.includes(`\n.SS provenance ${command} [OPTIONS]`));
  expect(missing).toEqual(unlisted);
  expect(page).toContain('\n.TP\n\\fB--bundle FILE\\fR\n');
  expect(page).toContain('\n.EX\n    provenance mark create "Ada Lovelace" --license CC-BY-4.0\n.EE\n');
  expect(page.match(/^\.SH .*/gm)).toEqual([
    '.SH NAME',
    '.SH SYNOPSIS',
    '.SH DESCRIPTION',
    '.SH COMMANDS FOR FILES',
    '.SH COMMANDS FOR MARKS AND USERS',
    '.SH COMMANDS FOR PUBLIC LOG',
    '.SH COMMANDS FOR SETTINGS',
    '.SH GLOBAL OPTIONS',
    '.SH EXIT STATUS',
    '.SH ENVIRONMENT',
    '.SH FILES',
  ]);
  // Every other line that starts with a dot or an apostrophe is escaped.
  expect(page.match(/^['.](?!(?:TH|SH|SS|TP|PP|EX|EE|B|I)\b).*/gm)).toBeNull();
});

it.runIf(existsSync('/usr/bin/groff'))('is formatted without a warning', async () => {
  const { stdout, stderr } = await promisify(execFile)('groff', ['-man', '-Tutf8', '-ww', '-P-cbou', path], {
    maxBuffer: 4_000_000,
  });
  expect(stderr).toBe('');
  expect(stdout).toContain('provenance - register files and verify who registered them');
});

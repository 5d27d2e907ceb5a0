// Certificates made by openssl with the commands of docs/trust.md, as an operator makes them.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './service.js';

const page = new URL('../../docs/trust.md', import.meta.url);

/**
 * Runs the page's commands for a first root (root.pem, signer.pem, signer.key) and for a change of root (root2.pem, cross.pem,
 * roots.pem) in a new folder, and returns the path of a file in it by name.
 */
export async function makeRegistryCertificates(): Promise<(name: string) => string> {
  const folder = await temporaryFolder();
  const blocks = [...(await readFile(page, 'utf8')).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
    ([, block = '']) => block,
  );
  const commands = blocks.filter((block) => block.startsWith('openssl req -x509'));
  if (commands.length !== 2) throw new Error('docs/trust.md lacks the commands for roots');
  await promisify(execFile)('sh', ['-eu', '-c', commands.join('\n')], { cwd: folder });
  return (name) => join(folder, name);
}

/** Runs openssl with these arguments in the folder of that file. */
export async function openssl(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)('openssl', args);
  return stdout;
}

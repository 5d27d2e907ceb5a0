// `hash`: prints the fingerprints of files.

import { defineCommand } from '../command.js';
import { type HashResult, hashFiles } from '../targets.js';
import { joinLines, type Text, text } from '../text.js';

export const hashCommand = defineCommand({
  name: 'hash',
  summary: 'print the fingerprints of files',
  description: 'Prints the fingerprint of each file, the SHA-256 of its bytes. Nothing is sent to the service.',
  arguments: { files: { label: 'FILE', summary: 'files; - for standard input', many: true, completion: 'files' } },
  options: { art: { kind: 'flag', summary: 'draw each fingerprint as OpenSSH randomart' } },
  examples: {
    'provenance hash photo.jpg': 'Fingerprint of a file',
    'provenance hash --art photo.jpg': 'With randomart, which is easier to compare',
    'cat photo.jpg | provenance hash -': 'Fingerprint of standard input',
  },
  async run(context, { files, art }) {
    const drawArt = art ? await loadRandomart() : undefined;
    const results = await hashFiles(context, files, (result) => {
      if ('error' in result) return context.warn(result.error.message);
      const line = text`${result.fingerprint}  ${result.name}`;
      context.print(drawArt ? joinLines([line, drawArt(result.fingerprint)]) : line);
    });
    context.printResult(results.map((result) => toJson(result, drawArt)));
    return results.some((result) => 'error' in result) ? 3 : 0;
  },
});

type DrawArt = (fingerprint: string) => Text;

async function loadRandomart(): Promise<DrawArt> {
  const { drawRandomart } = await import('@provenance-registry/core/randomart');
  return (fingerprint) => joinLines(drawRandomart(Buffer.from(fingerprint.slice(2), 'hex')).split('\n'));
}

function toJson(result: HashResult, drawArt: DrawArt | undefined) {
  if ('error' in result) return { file: result.name, error: result.error.message, code: result.error.code };
  const { name, fingerprint, size } = result;
  return { file: name, fingerprint, size, ...(drawArt && { art: drawArt(fingerprint).toString() }) };
}

// `hash`: fingerprints of files, and their pictures.

import { command } from '../command.js';
import { hashAll, type Told } from '../targets.js';
import { lines, text } from '../text.js';

export const hashCommand = command({
  name: 'hash',
  summary: 'fingerprints of files',
  description:
    'Prints the fingerprint of each file: the SHA-256 of its bytes, by which the registry knows it. Nothing is sent anywhere.',
  arguments: {
    files: { label: 'FILE', summary: 'files; - is standard input', many: true, completion: 'files' },
  },
  options: { art: { kind: 'flag', summary: "draw each fingerprint as a picture (OpenSSH's drunken bishop)" } },
  examples: [
    { run: 'provenance hash photo.jpg', meaning: 'The fingerprint of a file' },
    { run: 'provenance hash --art photo.jpg', meaning: 'With a picture that is easier to compare' },
    { run: 'cat photo.jpg | provenance hash -', meaning: 'Of what another command writes' },
  ],
  async run(context, { files, art }) {
    const draw = art ? await artist() : undefined;
    const told = await hashAll(context, files, (one) => {
      if ('problem' in one) context.complain(one.problem.message);
      else {
        const line = text`${one.fingerprint}  ${one.name}`;
        context.print(draw ? lines([line, draw(one.fingerprint)]) : line);
      }
    });
    context.result(told.map((one) => asJson(one, draw)));
    return told.some((one) => 'problem' in one) ? 3 : 0;
  },
});

type Draw = (fingerprint: string) => ReturnType<typeof lines>;

async function artist(): Promise<Draw> {
  const { drawRandomart } = await import('@provenance-registry/core/randomart');
  return (fingerprint) => lines(drawRandomart(Buffer.from(fingerprint.slice(2), 'hex')).split('\n'));
}

function asJson(one: Told, draw: Draw | undefined) {
  if ('problem' in one) return { file: one.name, error: one.problem.message, code: one.problem.code };
  const { name, fingerprint, size } = one;
  return { file: name, fingerprint, size, ...(draw && { art: draw(fingerprint).toString() }) };
}

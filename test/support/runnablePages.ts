// The pages of the documentation, and what the commands of those that tests run need and print.
// Their commands use programs that `npm test` installs: curl, openssl and pdfsig.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export function readPage(name: string): Promise<string> {
  return readFile(fileURLToPath(new URL(`../../docs/${name}.md`, import.meta.url)), 'utf8');
}

/** Also those in lists, which are indented. */
export function listCommands(text: string): string[] {
  return [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, commands = '']) => commands);
}

export interface RunnablePage {
  /** Paths; `photo.jpg` is registered before. */
  readonly files?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Texts of the output, in this order. */
  readonly output: readonly (string | RegExp)[];
}

const ownAccount = { PROVENANCE_TOKEN: '', PROVENANCE_MARK: '', PROVENANCE_PASSWORD: 'correct horse battery' };
export const runnablePages: Readonly<Record<string, RunnablePage>> = {
  'guide-creators': {
    files: ['photos/sunrise.jpg', 'photos/moonrise.jpg'],
    variables: ownAccount,
    output: [
      'Ada Lovelace Photography',
      '2 files: 2 to be registered',
      '2 files: 2 registered',
      'sunrise.jpg',
      'signed',
    ],
  },
  'guide-newsrooms': {
    files: ['photo.jpg', 'incoming/unknown.jpg'],
    output: ['photo.jpg: consistent', 'exit code 4', 'exit code 1', 'This very file'],
  },
  'guide-legal': { files: ['photo.jpg'], output: ['photo.bundle.json', 'photo.jpg: consistent', 'exit code 4'] },
  'guide-organizations': {
    files: ['masters/one.jpg'],
    variables: { PROVENANCE_MARK: '' },
    output: [/of 6 in use/, '/invitation#', '1 file: 1 registered', 'one.jpg', 'key.created'],
  },
  'guide-developers': { files: ['photo.jpg', 'dist/release.tar.gz'], output: ['"status":"submitted"'] },
  platforms: { output: ['"results":[]'] },
  'ai-preferences': { output: ['Ask licensing@example.com.'] },
  certificates: { files: ['photo.jpg'], output: ['Signature is Valid', 'Fingerprint='] },
  evidence: { files: ['photo.jpg'], output: [] },
  lookalikes: { files: ['photo.jpg'], output: ['"grade":"near-identical"', '{"lookalikes":'] },
  lookups: { files: ['photo.jpg'], output: ['"match":"artifact"'] },
  manifests: { files: ['photo.jpg'], output: ['sha256 Fingerprint=', 'Verification: OK'] },
  trust: { output: [] },
};

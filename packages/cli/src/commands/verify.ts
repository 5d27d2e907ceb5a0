// `verify`: whose a file is, as the service, the chain and the signed manifest say, each for itself.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Check, Verification } from '@provenance-registry/client';
import { type ChosenNode, chooseNode, NAMED_BY_SERVICE } from '../chain.js';
import { command, type ExitCode } from '../command.js';
import { connect } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError, FileProblem, systemReason, UsageError } from '../errors.js';
import { readTarget } from '../targets.js';
import { bold, fields, green, lines, linesOf, type Piece, paragraph, red, type Text, text, yellow } from '../text.js';

export const verifyCommand = command({
  name: 'verify',
  summary: 'check whose a file is, believing nobody',
  description:
    'Checks what is said about files: by the service, by the contract on chain, and in the signed manifest. Each has a ' +
    'verdict of its own, with what it proves and what not. The files are not sent. Exit code 0: verified; 1: contradicted, or ' +
    'nobody knows the file; 3: it could not be found out.',
  arguments: {
    files: { label: 'FILE', summary: 'files, or fingerprints; - is standard input', many: true, completion: 'files' },
  },
  options: {
    offline: {
      kind: 'text',
      label: 'BUNDLE',
      summary: 'ask nobody: check by a file that bundle has written; with --rpc-url, by the chain as well',
      completion: 'files',
    },
  },
  examples: [
    { run: 'provenance verify photo.jpg', meaning: 'Whose is this file?' },
    {
      run: 'provenance verify --rpc-url "$RPC_URL" --contract "$CONTRACT" photo.jpg',
      meaning: 'With a node and a contract that you know from elsewhere, not from the service',
    },
    { run: 'provenance verify --offline photo.bundle.json photo.jpg', meaning: 'Without the service' },
  ],
  async run(context, { files, offline }) {
    const verifier = offline === undefined ? await online(context) : await byBundle(context, offline);
    const answers: unknown[] = [];
    const codes: ExitCode[] = [];
    for (const file of files) {
      try {
        const { fingerprint } = await readTarget(context, file);
        const verification = await verifier.check(fingerprint);
        if (answers.length > 0) context.print(text``);
        context.print(shown(file, verification, verifier, context.columns));
        answers.push({ file, ...verification, node: verifier.node ?? null });
        codes.push(exitCodes[verification.verdict]);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        context.complain(error.message);
        answers.push({ file, error: error.message, code: error.code });
        codes.push(error.exitCode);
      }
    }
    context.result(answers);
    return codes.includes(1) ? 1 : codes.includes(3) ? 3 : 0;
  },
});

const exitCodes = { verified: 0, contradicted: 1, unknown: 1, incomplete: 3 } as const;

interface Verifier {
  check(fingerprint: string): Promise<Verification>;
  /** The node of the chain that is asked, if any. */
  readonly node: ChosenNode | undefined;
}

async function online(context: Context): Promise<Verifier> {
  const { verify } = await import('@provenance-registry/client');
  const client = await connect(context);
  const trustAnchorsPem = await readAnchors(context);
  const node = await chooseNode(context, client);
  const chain = node && { rpcUrl: node.url, address: node.contract };
  return {
    node,
    check: (fingerprint) => verify(fingerprint, { client, chain, trustAnchorsPem, signal: context.signal }),
  };
}

/** Asks nobody, unless the one at the keyboard names a node here and now. */
async function byBundle(context: Context, path: string): Promise<Verifier> {
  const { InvalidResponseError, parseBundle, verifyBundle } = await import('@provenance-registry/client');
  const { rpcUrl, contract } = await context.settings();
  const node = rpcUrl?.from === '--rpc-url' ? { url: rpcUrl.value, from: rpcUrl.from } : undefined;
  const chain = node && { rpcUrl: node.url, address: contract?.value };
  const trustAnchorsPem = await readAnchors(context);
  try {
    const bundle = parseBundle(JSON.parse(await read(context, path)));
    const options = { chain, trustAnchorsPem, signal: context.signal };
    return { node, check: (fingerprint) => verifyBundle(bundle, { ...options, fingerprint }) };
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError('BAD_BUNDLE', 3, `${path}: it is no bundle.`);
    if (error instanceof InvalidResponseError) throw new CommandError('BAD_BUNDLE', 3, `${path}: ${error.message}`);
    throw error;
  }
}

async function readAnchors(context: Context): Promise<string | undefined> {
  const { trustAnchors } = await context.settings();
  if (!trustAnchors) return undefined;
  const pem = await read(context, trustAnchors.value);
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new UsageError(`${trustAnchors.from}: ${trustAnchors.value} has no certificate in it.`);
}

async function read({ cwd }: Context, path: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw new FileProblem(`${path}: ${systemReason(error)}.`, { cause: error });
  }
}

const verdicts: Readonly<Record<Verification['verdict'], Text>> = {
  verified: green('verified'),
  contradicted: red('CONTRADICTED'),
  unknown: yellow('unknown'),
  incomplete: yellow('could not be found out'),
};
const states: Readonly<Record<Check['state'], Text>> = {
  confirmed: green('confirmed'),
  contradicted: red('CONTRADICTED'),
  absent: yellow('nothing there'),
  unavailable: yellow('not known'),
};

/** What people want to know first, by its name in a check's details. */
const facts: Readonly<Record<string, string>> = {
  author: 'Author',
  markName: 'Mark',
  licence: 'Licence',
  since: 'Since',
  transactionHash: 'Transaction',
  signedBy: 'Signed by',
  signedAt: 'Signed at',
};

const INDENT = 4;

function shown(
  file: string,
  { fingerprint, verdict, checks }: Verification,
  { node }: Verifier,
  columns: number,
): Text {
  const { registry, chain, manifest } = checks;
  const caveat = node?.from === NAMED_BY_SERVICE ? ` ${nodeCaveat(node)}` : '';
  return lines([
    text`${bold(file)}: ${verdicts[verdict]}`,
    text`  ${fingerprint}`,
    ...checkLines('Registry', registry, columns),
    ...checkLines('Chain', { ...chain, proves: `${chain.proves}${caveat}` }, columns),
    ...checkLines('Manifest', manifest, columns),
  ]);
}

/** Whoever lies about a file could also name a node that lies. */
function nodeCaveat({ url }: ChosenNode): string {
  return `The node that was asked, ${url}, is one that the service names: --rpc-url asks one that you know.`;
}

function checkLines(name: string, { state, proves, reason, details }: Check, columns: number): Piece[] {
  // What is contradicted is not repeated as if it were a fact.
  const known = state === 'contradicted' ? [] : factsIn(details);
  const margin = ' '.repeat(INDENT);
  const sentence = (words: string) => text`${margin}${paragraph(words, columns, INDENT)}`;
  return [
    text`  ${bold(name)}: ${states[state]}`,
    ...(reason === undefined ? [] : [sentence(asSentence(reason))]),
    sentence(proves),
    ...(known.length === 0 ? [] : [indented(fields(known), margin)]),
  ];
}

function factsIn(details: Check['details']) {
  return Object.entries(facts).flatMap(([key, label]) => {
    const value = details[key];
    return typeof value === 'string' ? [[label, value] as const] : [];
  });
}

function asSentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${reason.endsWith('.') ? '' : '.'}`;
}

function indented(content: Text, margin: string): Text {
  return lines(linesOf(content).map((line) => text`${margin}${line}`));
}

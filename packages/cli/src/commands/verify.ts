// `verify`: checks what the service, the chain and the signed manifest say about a file, each independently.

import type { Check, Verification } from '@provenance-registry/client';
import { type ChainNode, chooseChainNode, FROM_SERVICE } from '../chain.js';
import { defineCommand } from '../command.js';
import { connect } from '../connect.js';
import type { Context } from '../context.js';
import { CommandError, UsageError } from '../errors.js';
import { type ExitCode, worstExitCode } from '../exitCode.js';
import { readTextFile } from '../files.js';
import { readTarget } from '../targets.js';
import { bold, formatTable, green, joinLines, type Piece, red, type Text, text, wrapText, yellow } from '../text.js';

export const verifyCommand = defineCommand({
  name: 'verify',
  summary: 'verify who registered a file',
  description:
    'Checks what the service, the contract on chain and the signed manifest say about files. Each has its own verdict, ' +
    'with what it proves and does not prove. The files are not sent. Exit code 0: verified; 1: contradicted or unknown; ' +
    '3: could not check.',
  arguments: {
    files: { label: 'FILE', summary: 'files or fingerprints; - for standard input', many: true, completion: 'files' },
  },
  options: {
    offline: {
      label: 'BUNDLE',
      summary: "use a file written by 'bundle' instead of the service; with --rpc-url, also check the chain",
      completion: 'files',
    },
  },
  examples: {
    'provenance verify photo.jpg': 'Verify a file',
    'provenance verify --rpc-url "$RPC_URL" --contract "$CONTRACT" photo.jpg':
      'Use a node and a contract that you know independently of the service',
    'provenance verify --offline photo.bundle.json photo.jpg': 'Verify without the service',
  },
  async run(context, { files, offline }) {
    const verifier =
      offline === undefined ? await createOnlineVerifier(context) : await createBundleVerifier(context, offline);
    const results: unknown[] = [];
    const codes: ExitCode[] = [];
    for (const file of files) {
      try {
        const { fingerprint } = await readTarget(context, file);
        const verification = await verifier.check(fingerprint);
        if (results.length > 0) context.print(text``);
        context.print(formatVerification(file, verification, verifier.node, context.columns));
        results.push({ file, ...verification, node: verifier.node ?? null });
        codes.push(exitCodes[verification.verdict]);
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        context.warn(error.message);
        results.push({ file, error: error.message, code: error.code });
        codes.push(error.exitCode);
      }
    }
    context.printResult(results);
    return worstExitCode(codes);
  },
});

const exitCodes = { verified: 0, contradicted: 1, unknown: 1, incomplete: 3, consistent: 4 } as const;

/** A verifier's `node` is the chain node that it queries, if any. */
async function createOnlineVerifier(context: Context) {
  const { verify } = await import('@provenance-registry/client');
  const client = await connect(context);
  const trustAnchorsPem = await readTrustAnchors(context);
  const node = await chooseChainNode(context, client);
  const chain = node && { rpcUrl: node.url, address: node.contract };
  return {
    node,
    check: (fingerprint: string) => verify(fingerprint, { client, chain, trustAnchorsPem, signal: context.signal }),
  };
}

/** Sends no request, except to a node given on the command line. */
async function createBundleVerifier(context: Context, path: string) {
  const { InvalidResponseError, parseBundle, verifyBundle } = await import('@provenance-registry/client');
  const { rpcUrl, contract } = await context.loadSettings();
  const [first] = rpcUrl?.from === '--rpc-url' ? rpcUrl.value : [];
  const node = rpcUrl && first !== undefined ? { url: first, from: rpcUrl.from } : undefined;
  const chain = node && { rpcUrl: node.url, address: contract?.value };
  const trustAnchorsPem = await readTrustAnchors(context);
  try {
    const bundle = parseBundle(JSON.parse(await readTextFile(context.cwd, path)));
    const options = { chain, trustAnchorsPem, signal: context.signal };
    return { node, check: (fingerprint: string) => verifyBundle(bundle, { ...options, fingerprint }) };
  } catch (error) {
    if (error instanceof SyntaxError) throw new CommandError('BAD_BUNDLE', 3, `${path}: not a bundle.`);
    if (error instanceof InvalidResponseError) throw new CommandError('BAD_BUNDLE', 3, `${path}: ${error.message}`);
    throw error;
  }
}

async function readTrustAnchors(context: Context): Promise<string | undefined> {
  const { trustAnchors } = await context.loadSettings();
  if (!trustAnchors) return undefined;
  const pem = await readTextFile(context.cwd, trustAnchors.value);
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw new UsageError(`${trustAnchors.from}: ${trustAnchors.value} contains no certificate.`);
}

const verdictTexts: Readonly<Record<Verification['verdict'], Text>> = {
  verified: green('verified'),
  consistent: yellow('consistent'),
  contradicted: red('CONTRADICTED'),
  unknown: yellow('unknown'),
  incomplete: yellow('could not check'),
};
const stateTexts: Readonly<Record<Check['state'], Text>> = {
  confirmed: green('confirmed'),
  contradicted: red('CONTRADICTED'),
  absent: yellow('not found'),
  unavailable: yellow('could not check'),
};

/** The details to show, with their labels. */
const detailLabels: Readonly<Record<string, string>> = {
  author: 'Author',
  markName: 'Mark',
  license: 'License',
  since: 'Registered',
  transactionHash: 'Transaction',
  signedBy: 'Signed by',
  signedAt: 'Signed at',
};

const MARGIN = '    ';

function formatVerification(
  file: string,
  { fingerprint, verdict, checks }: Verification,
  node: ChainNode | undefined,
  columns: number,
): Text {
  const { registry, chain, manifest } = checks;
  const caveat = node?.from === FROM_SERVICE ? ` ${nodeCaveat(node)}` : '';
  return joinLines([
    text`${bold(file)}: ${verdictTexts[verdict]}`,
    text`  ${fingerprint}`,
    ...formatCheck('Registry', registry, columns),
    ...formatCheck('Chain', { ...chain, proves: `${chain.proves}${caveat}` }, columns),
    ...formatCheck('Manifest', manifest, columns),
  ]);
}

/** A service that gives false information could also advertise a node that does. */
function nodeCaveat({ url }: ChainNode): string {
  return `The node ${url} is the one the service advertises; use --rpc-url to query one that you trust.`;
}

function formatCheck(name: string, { state, proves, reason, details }: Check, columns: number): Piece[] {
  // Contradicted details are not facts.
  const shownDetails = state === 'contradicted' ? [] : selectDetails(details);
  const indentedText = (words: string) => text`${MARGIN}${wrapText(words, columns, MARGIN.length)}`;
  return [
    text`  ${bold(name)}: ${stateTexts[state]}`,
    ...(reason === undefined ? [] : [indentedText(toSentence(reason))]),
    indentedText(proves),
    ...(shownDetails.length === 0 ? [] : [formatTable(shownDetails)]),
  ];
}

function selectDetails(details: Check['details']) {
  const values: Readonly<Record<string, unknown>> = { ...details };
  return Object.entries(detailLabels).flatMap(([key, label]) => {
    const value = values[key];
    return typeof value === 'string' ? [[text`${MARGIN}${bold(label)}`, value]] : [];
  });
}

function toSentence(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${reason.endsWith('.') ? '' : '.'}`;
}

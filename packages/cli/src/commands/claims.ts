// `claim`: contests registrations of others, and answers those who contest yours.

import { openAsBlob } from 'node:fs';
import { resolve } from 'node:path';
import type { Claim, ClaimKind } from '@provenance-registry/core';
import { defineApiCommand } from '../apiCommand.js';
import { type CommandGroup, defineCommand } from '../command.js';
import { confirmStep, yesOption } from '../confirmation.js';
import { connect, connectLoggedIn } from '../connect.js';
import type { Context } from '../context.js';
import { orFileError, UsageError } from '../errors.js';
import { findMarkId } from '../names.js';
import { readTarget, targetArgument } from '../targets.js';
import { text } from '../text.js';
import { formatClaim, formatClaims } from './claimText.js';
import { collectPages, noteCut, type PageValues, pageOptions } from './pages.js';

const claimArgument = { label: 'CLAIM', summary: 'claim ID' } as const;

const listCommand = defineCommand({
  name: 'list',
  summary: 'list claims to a file, or your own',
  description:
    'Lists the claims that contest the registration of a file, which needs no login; without a file, the claims that you ' +
    "have made, or with --received those to files of the Marks that you administer. What a claim says is its author's word; " +
    'that its evidence was checked is the word of the service.',
  arguments: { target: { ...targetArgument, optional: true } },
  options: {
    received: { kind: 'flag', summary: 'claims to your files, instead of those that you have made' },
    ...pageOptions,
  },
  examples: {
    'provenance claim list photo.jpg': 'Who contests the registration of a file',
    'provenance claim list --received': 'Claims to your files',
  },
  async run(context, { target, received, limit, all }) {
    if (target !== undefined && received) throw new UsageError('--received cannot be combined with a file.');
    const { items: claims, isCut } = await (target === undefined
      ? listOwn(context, received, { limit, all })
      : listOfFile(context, target));
    context.printResult(claims, formatClaims(claims));
    if (isCut) noteCut(context, claims.length);
    if (claims.length === 0) context.printHint(text`No claims.`);
  },
});

type ClaimList = ReturnType<typeof collectPages<'claims', Claim>>;

async function listOfFile(context: Context, target: string): ClaimList {
  const { fingerprint } = await readTarget(context, target);
  const { claims } = await (await connect(context)).listArtifactClaims({ fingerprint });
  return { items: claims, isCut: false };
}

async function listOwn(context: Context, received: boolean, values: PageValues): ClaimList {
  const client = await connectLoggedIn(context);
  const role = received ? 'received' : 'made';
  return collectPages('claims', values, (page) => client.listOwnClaims({ role, ...page }));
}

const PERMANENT = 'It is public with your name, and cannot be changed or deleted';

const createCommand = defineCommand({
  name: 'create',
  summary: 'contest the registration of a file',
  description:
    'Contests the registration of a file by another user: with a statement, and with evidence that the file existed before ' +
    'the registration, at least five minutes. A registration with older evidence from a source that the operator trusts is ' +
    'shown as contested. Nothing changes who registered the file. For users, not for API keys.',
  arguments: { target: targetArgument, statement: { label: 'STATEMENT', summary: 'why you contest it' } },
  options: {
    timestamp: {
      label: 'FILE',
      summary: 'RFC 3161 time-stamp (token or response) of the SHA-256 of the file',
      completion: 'files',
    },
    manifest: {
      label: 'FILE',
      summary: 'C2PA manifest (.c2pa) with a time-stamp, or the registered file with one inside, which is sent',
      completion: 'files',
    },
    chainEntry: { kind: 'flag', summary: 'an entry of the file in the public registry on chain' },
    account: { label: 'ADDRESS', summary: 'with --chain-entry: the account that wrote the entry' },
    mark: { label: 'MARK', summary: 'name or ID of the public Mark that you speak for' },
    yes: yesOption,
  },
  examples: {
    'provenance claim create photo.jpg "I took this photo in May." --mark "$MARK_ID" --yes': 'Contest a registration',
  },
  async run(context, { target, statement, mark, account, yes, ...sources }) {
    const { kind, path } = chooseEvidence(sources);
    if (account !== undefined && kind !== 'chain-entry') throw new UsageError('--account requires --chain-entry.');
    const { fingerprint } = await readTarget(context, target);
    const file = path === undefined ? undefined : await orFileError(path, openAsBlob(resolve(context.cwd, path)));
    const client = await connectLoggedIn(context);
    await confirmStep(context, yes, {
      consequences: `${PERMANENT}; you can withdraw it, and it stays visible as withdrawn. So does the evidence.`,
      question: `Contest the registration of ${fingerprint}?`,
    });
    const markId = mark === undefined ? undefined : await findMarkId(client, mark);
    const fields = { fingerprint, kind, statement, markId, account };
    const claim = await client.createClaim(file ? { ...fields, file } : fields);
    context.printResult(claim, formatClaim(claim));
  },
});

interface EvidenceOptions {
  readonly timestamp: string | undefined;
  readonly manifest: string | undefined;
  readonly chainEntry: boolean;
}

function chooseEvidence({ timestamp, manifest, chainEntry }: EvidenceOptions): { kind: ClaimKind; path?: string } {
  const given: { kind: ClaimKind; path?: string }[] = [
    ...(timestamp === undefined ? [] : [{ kind: 'timestamp' as const, path: timestamp }]),
    ...(manifest === undefined ? [] : [{ kind: 'manifest' as const, path: manifest }]),
    ...(chainEntry ? [{ kind: 'chain-entry' as const }] : []),
  ];
  if (given.length > 1) throw new UsageError('--timestamp, --manifest and --chain-entry cannot be combined.');
  return given[0] ?? { kind: 'statement' };
}

const answerCommand = defineApiCommand({
  name: 'answer',
  summary: 'answer a claim to one of your files',
  description: "Adds an answer to a claim, which stays open. For the contested Mark's admin.",
  arguments: { claimId: claimArgument, words: { label: 'TEXT', summary: 'the answer' } },
  options: { yes: yesOption },
  examples: { 'provenance claim answer "$CLAIM_ID" "We made it on assignment." --yes': 'Answer a claim' },
  confirm: () => ({ consequences: `${PERMANENT}.`, question: 'Add the answer?' }),
  request: (client, { claimId, words }) => client.answerClaim({ claimId, text: words }),
  format: formatClaim,
});

const withdrawCommand = defineApiCommand({
  name: 'withdraw',
  summary: 'withdraw a claim that you made',
  description: 'Withdraws a claim, which stays visible as withdrawn.',
  arguments: { claimId: claimArgument, words: { label: 'TEXT', summary: 'the reason', optional: true } },
  options: { yes: yesOption },
  examples: { 'provenance claim withdraw "$CLAIM_ID" --yes': 'Withdraw a claim' },
  confirm: () => ({
    consequences: 'The claim stays visible as withdrawn, and cannot be opened again.',
    question: 'Withdraw the claim?',
  }),
  request: (client, { claimId, words }) => client.withdrawClaim({ claimId, text: words }),
  format: formatClaim,
});

const concedeCommand = defineApiCommand({
  name: 'concede',
  summary: 'concede one of your files to the claimant',
  description:
    "Concedes a file to the claimant's Mark: the registration is shown as superseded from then on. Its own Mark does not " +
    "change. For the contested Mark's admin.",
  arguments: { claimId: claimArgument, words: { label: 'TEXT', summary: 'in words', optional: true } },
  options: { yes: yesOption },
  examples: { 'provenance claim concede "$CLAIM_ID" --yes': 'Concede a file' },
  confirm: () => ({
    consequences: "Your registration is shown as superseded by the claimant's Mark, for good.",
    question: 'Concede the file?',
  }),
  request: (client, { claimId, words }) => client.concedeClaim({ claimId, text: words }),
  format: formatClaim,
});

export const claimGroup: CommandGroup = {
  name: 'claim',
  summary: 'contest registrations, and answer claims to yours',
  description: 'Manages claims: users contest the registration of a file, with evidence that the service checks.',
  commands: [listCommand, createCommand, answerCommand, withdrawCommand, concedeCommand],
};

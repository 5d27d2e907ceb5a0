// The export of an account: what the service has about a user and the user may read, as one JSON document, written page by page.

import type { User } from '@provenance-registry/core';
import { visibleMetadata } from '../artifacts/artifacts.js';
import type { ExportedArtifact, Ports } from '../ports/index.js';

/** Rows that are in memory at a time. */
const PAGE_SIZE = 200;

/** What closing the account erases and keeps, told before it happens. */
const onClosing = {
  erased: [
    'Your email address, name and password, your second factor, and the link to your OpenID provider.',
    'Your sessions end, and the API keys of organizations that you own. Your webhooks and theirs are deleted.',
    'Your memberships of organizations and Marks; admin roles pass to their owners.',
    'Invitations that you made, unsent mails to you, and links in mails.',
  ],
  kept: [
    'Artifacts that you registered, with the name that was signed and hashed with them. It can also be read in files that ' +
      'were published, which others may have copied.',
    'Registrations on chain, which can never be removed. They contain no name or address.',
    'Your personal Marks with their names. They stay readable and are closed: nothing can be registered under them.',
    'Organizations that you own alone, with their names and Marks.',
    'Claims that you made, with their statements and evidence, and what you wrote about claims. They stay public, without ' +
      'your name.',
    'The history of events and of the domains of Marks, which names you by the ID of your account only.',
  ],
};

/** The pieces of the document. */
export async function* exportAccount(ports: Ports, user: User): AsyncGenerator<string> {
  const { accountRecords } = ports.store;
  const { account, ...facts } = await accountRecords.read(user);
  const start = { exportedAt: ports.clock().toISOString(), onClosing, user: { ...user, ...account }, ...facts };
  yield JSON.stringify(start).slice(0, -1);
  yield ',"events":[';
  yield* writePages((last) => accountRecords.listEvents(user.id, PAGE_SIZE, last));
  yield '],"artifacts":[';
  yield* writePages(async (last) => (await accountRecords.listArtifacts(user.id, PAGE_SIZE, last)).map(toView));
  yield '],"claims":[';
  yield* writePages((last) => accountRecords.listClaims(user.id, PAGE_SIZE, last));
  yield '],"claimEntries":[';
  yield* writePages((last) => accountRecords.listClaimEntries(user.id, PAGE_SIZE, last));
  yield ']}';
}

/** As every other reader sees it, where the user may not register any more. */
function toView({ mayWrite, isMarkPublic, metadata, aiPreferences, ...artifact }: ExportedArtifact) {
  const isOpen = mayWrite || isMarkPublic;
  const contentPrivate = artifact.contentVisibility === 'private';
  return {
    ...artifact,
    metadata: visibleMetadata({ metadata, contentPrivate }, isOpen, mayWrite),
    aiPreferences: isOpen ? aiPreferences : null,
  };
}

async function* writePages(readPage: (last: string | undefined) => Promise<{ id: string }[]>): AsyncGenerator<string> {
  let last: string | undefined;
  for (;;) {
    const page = await readPage(last);
    const rows = page.map((row) => JSON.stringify(row)).join(',');
    if (rows !== '') yield last === undefined ? rows : `,${rows}`;
    if (page.length < PAGE_SIZE) return;
    last = page.at(-1)?.id;
  }
}

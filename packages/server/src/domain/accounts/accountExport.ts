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
    'Invitations that you made, unsent mails to you, and links in mails. Hashes of the addresses that you invited.',
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
export async function* exportAccount(ports: Ports, { id, ...user }: User): AsyncGenerator<string> {
  const { accountRecords } = ports.store;
  const { account, ...facts } = await accountRecords.read({ id, ...user });
  const start = { exportedAt: ports.clock().toISOString(), onClosing, user: { id, ...user, ...account } };
  yield JSON.stringify(start).slice(0, -1);
  yield* writeFacts(facts);
  const byId = (row: { readonly id: string }) => row.id;
  yield* writePages(
    'idempotencyKeys',
    (last) => accountRecords.listIdempotencyKeys(id, PAGE_SIZE, last),
    (row) => row.key,
  );
  yield* writePages('events', (last) => accountRecords.listEvents(id, PAGE_SIZE, last), byId);
  yield* writePages(
    'artifacts',
    async (last) => (await accountRecords.listArtifacts(id, PAGE_SIZE, last)).map(toView),
    byId,
  );
  yield* writePages('claims', (last) => accountRecords.listClaims(id, PAGE_SIZE, last), byId);
  yield* writePages('claimEntries', (last) => accountRecords.listClaimEntries(id, PAGE_SIZE, last), byId);
  yield '}';
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

function* writeFacts(facts: Readonly<Record<string, unknown>>): Generator<string> {
  for (const [name, value] of Object.entries(facts)) {
    yield `,${JSON.stringify(name)}:`;
    if (Array.isArray(value)) yield* writeList(value);
    else yield JSON.stringify(value);
  }
}

function* writeList(rows: readonly unknown[]): Generator<string> {
  yield '[';
  for (let start = 0; start < rows.length; start += PAGE_SIZE) {
    yield (start === 0 ? '' : ',') + formatRows(rows.slice(start, start + PAGE_SIZE));
  }
  yield ']';
}

async function* writePages<Row>(
  name: string,
  readPage: (last: string | undefined) => Promise<Row[]>,
  idOf: (row: Row) => string,
): AsyncGenerator<string> {
  yield `,"${name}":[`;
  let last: string | undefined;
  for (;;) {
    const page = await readPage(last);
    const rows = formatRows(page);
    if (rows !== '') yield last === undefined ? rows : `,${rows}`;
    const final = page.at(-1);
    if (page.length < PAGE_SIZE || final === undefined) break;
    last = idOf(final);
  }
  yield ']';
}

function formatRows(rows: readonly unknown[]): string {
  return rows.map((row) => JSON.stringify(row)).join(',');
}

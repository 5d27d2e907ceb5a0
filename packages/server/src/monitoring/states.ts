// States that are read whenever the metrics are rendered: readiness, database connections, chain, mail, domains, webhooks, certificate.

import type {
  Backlog,
  ChainHealth,
  DomainBacklog,
  FeedBacklog,
  LogBacklog,
  MailBacklog,
  MirrorProgress,
  WebhookBacklog,
} from '../domain/ports/index.js';
import {
  addCollector,
  createGauge,
  createLabeledGauge,
  createTransactionCounter,
  logAnchorAge,
  logAnchorInterval,
} from './metrics.js';
import { CHECK_TIMEOUT_MS, type Readiness, shareRunning } from './readiness.js';

export interface ObservedParts {
  readonly about: { readonly version: string; readonly role: string };
  readonly readiness: Readiness;
  readonly databasePool: () => {
    readonly max: number;
    readonly idle: number;
    readonly inUse: number;
    readonly waiting: number;
  };
  readonly chain: { health(): ChainHealth; readBacklog(): Promise<Backlog> };
  readonly readMirror: () => Promise<MirrorProgress | undefined>;
  /** Undefined: no mail is sent. */
  readonly readMailBacklog: (() => Promise<MailBacklog>) | undefined;
  readonly readDomainBacklog: () => Promise<DomainBacklog>;
  readonly readFeedBacklog: () => Promise<FeedBacklog>;
  readonly readLogBacklog: () => Promise<LogBacklog>;
  readonly readWebhookBacklog: () => Promise<WebhookBacklog>;
  readonly readWalArchive: () => Promise<WalArchive | undefined>;
  /** Undefined: the published files are in a bucket. */
  readonly readFileSpace: (() => Promise<FileSpace>) | undefined;
  readonly certificateExpiresAt: Date;
}

/** PostgreSQL's archive of its write-ahead log. */
export interface WalArchive {
  /** The last attempt to archive a segment failed. */
  readonly isFailing: boolean;
}

/** The disk of the published files. */
export interface FileSpace {
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

const buildInfo = createLabeledGauge('provenance_build_info', 'Always 1; the labels say what runs.', [
  'version',
  'node',
  'role',
]);
const checkOk = createLabeledGauge('readiness_check_ok', '1 while the part is available, otherwise 0.', ['check']);
const connections = createLabeledGauge('database_pool_connections', 'Open connections to the database.', ['state']);
const maxConnections = createGauge('database_pool_max_connections', 'The largest number of connections.');
const waitingForConnection = createGauge('database_pool_waiting', 'Requests that wait for a connection.');
const certificateExpiry = createGauge('signing_certificate_expiry_timestamp_seconds', 'When the certificate expires.');
const breakerOpen = createGauge('chain_breaker_open', '1 while lookups do without the node because it failed.');
const leaseHeld = createGauge('chain_lease_held', '1 while this process is the one that writes on chain.');
const pending = createGauge('chain_pending_artifacts', 'Artifacts that are not on chain yet.');
const oldest = createGauge('chain_oldest_pending_seconds', 'Age of the oldest of them.');
const gas = createGauge('chain_gas_per_registration', 'Average gas per registration since the start.');
const balance = createGauge('chain_balance_ether', 'Balance of the writing key.');
const balanceLow = createGauge('chain_balance_low', '1 when the balance will soon be used up.');
const mirroredBlock = createGauge('chain_mirror_block', 'All entries up to this block are mirrored.');
const headBlock = createGauge('chain_mirror_head_block', 'The newest block that the node has shown to the mirror.');
const mirrorFresh = createGauge(
  'chain_mirror_fresh',
  '1 while lookups use the mirror alone, without calls to the node.',
);
const mailsWaiting = createGauge('mails_waiting', 'Mails that are not sent yet.');
const oldestMail = createGauge('mails_oldest_waiting_seconds', 'Age of the oldest of them.');
const domainsDue = createGauge('domain_checks_due', 'Checks of domains that are late.');
const domainsFailing = createGauge('domains_failing', 'Verified domains whose last check failed.');
const feedEnd = createGauge('events_last_position', 'The last position of the feed of events.');
const eventsWaiting = createGauge('events_without_position', 'Events that are not in the feed yet.');
const logSize = createGauge('log_size', 'Leaves that have their places in the public log.');
const logPending = createGauge('log_pending_leaves', 'Leaves that wait for their places.');
const oldestLeaf = createGauge('log_oldest_pending_seconds', 'Age of the oldest of them.');
const logToImport = createGauge('log_to_import', 'Marks, Artifacts and claims that are still to be imported.');
const webhooksPending = createGauge('webhooks_pending', 'Active webhooks with events that are not delivered yet.');
const webhooksFailing = createGauge('webhooks_failing', 'Those of them whose last attempt failed.');
const oldestWebhook = createGauge('webhooks_oldest_due_seconds', 'How late the most late of them is.');

const archiveFailing = createGauge(
  'database_wal_archive_failing',
  '1 while PostgreSQL cannot archive its write-ahead log; absent without an archive.',
);
const filesFree = createGauge('file_store_free_bytes', 'Free space on the disk of the published files.');
const filesSize = createGauge('file_store_size_bytes', 'Size of that disk.');

/** Returns a function that stops it. */
export function collectStates(parts: ObservedParts) {
  const { about, readiness, databasePool, chain, readMailBacklog = readNothing, readFileSpace = readNothing } = parts;
  buildInfo.set({ ...about, node: process.version }, 1);
  certificateExpiry.set(parts.certificateExpiresAt.getTime() / 1_000);
  const countTransactions = createTransactionCounter();
  const collectors = [
    collectFrom(() => chain.readBacklog(), showBacklog),
    collectFrom(readMailBacklog, showMails),
    collectFrom(parts.readDomainBacklog, showDomains),
    collectFrom(parts.readFeedBacklog, showFeed),
    collectFrom(parts.readLogBacklog, showLog),
    collectFrom(parts.readWebhookBacklog, showWebhooks),
    collectFrom(parts.readMirror, showMirror),
    collectFrom(parts.readWalArchive, showWalArchive),
    collectFrom(readFileSpace, showFileSpace),
  ];
  return addCollector(async () => {
    showChain(chain.health(), countTransactions);
    showPool(databasePool());
    await Promise.all([
      readiness().then((checks) => {
        for (const { name, reason } of checks) checkOk.set({ check: name }, reason === undefined ? 1 : 0);
      }),
      ...collectors.map((collect) => collect()),
    ]);
  });
}

async function readNothing(): Promise<undefined> {}

/** Shows undefined, which removes the value, when the state cannot be read in time. */
function collectFrom<T>(read: () => Promise<T | undefined>, show: (state: T | undefined) => void): () => Promise<void> {
  const readShared = shareRunning(read, CHECK_TIMEOUT_MS);
  return async () => show(await readShared().catch(() => undefined));
}

function showBacklog(backlog: Backlog | undefined): void {
  pending.set(backlog?.pending);
  oldest.set(backlog?.oldestPendingSeconds);
}

function showMails(backlog: MailBacklog | undefined): void {
  mailsWaiting.set(backlog?.waiting);
  oldestMail.set(backlog && (backlog.oldestSeconds ?? 0));
}

function showDomains(backlog: DomainBacklog | undefined): void {
  domainsDue.set(backlog?.due);
  domainsFailing.set(backlog?.failing);
}

function showFeed(backlog: FeedBacklog | undefined): void {
  feedEnd.set(backlog?.end);
  eventsWaiting.set(backlog?.waiting);
}

function showLog(backlog: LogBacklog | undefined): void {
  logSize.set(backlog?.size);
  logPending.set(backlog?.pending);
  oldestLeaf.set(backlog?.oldestPendingSeconds);
  logToImport.set(backlog?.toImport);
}

function showWebhooks(backlog: WebhookBacklog | undefined): void {
  webhooksPending.set(backlog?.pending);
  webhooksFailing.set(backlog?.failing);
  oldestWebhook.set(backlog && (backlog.oldestSeconds ?? 0));
}

function showMirror(progress: MirrorProgress | undefined): void {
  mirroredBlock.set(progress?.mirroredBlock);
  headBlock.set(progress?.headBlock);
  mirrorFresh.set(toNumber(progress?.isFresh));
}

function showWalArchive(archive: WalArchive | undefined): void {
  archiveFailing.set(toNumber(archive?.isFailing));
}

function showFileSpace(space: FileSpace | undefined): void {
  filesFree.set(space?.freeBytes);
  filesSize.set(space?.sizeBytes);
}

function showChain(health: ChainHealth, countTransactions: ReturnType<typeof createTransactionCounter>): void {
  breakerOpen.set(Number(health.isBreakerOpen));
  leaseHeld.set(toNumber(health.holdsLease));
  gas.set(health.gasPerRegistration);
  balance.set(health.balance === undefined ? undefined : Number(health.balance) / 1e18);
  balanceLow.set(toNumber(health.lowBalance));
  logAnchorAge.set(health.anchor?.ageSeconds);
  logAnchorInterval.set(health.anchor?.intervalSeconds);
  countTransactions(health.transactions);
}

function showPool({ max, idle, inUse, waiting }: ReturnType<ObservedParts['databasePool']>): void {
  connections.set({ state: 'idle' }, idle);
  connections.set({ state: 'in_use' }, inUse);
  maxConnections.set(max);
  waitingForConnection.set(waiting);
}

function toNumber(value: boolean | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

// The mail worker against real mail servers: mails wait until they can be sent, and are sent once.

import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type MailServer, type MailServerOptions, startMailServer } from '../../../../test/support/mailServer.js';
import { createMigratedDatabase } from '../../../../test/support/postgres.js';
import { randomUUID } from '../../../../test/support/random.js';
import { loadConfig } from '../../src/config/config.js';
import { type Database, openDatabase } from '../../src/database/connection.js';
import { MailQueries } from '../../src/database/queries/accounts/mails.js';
import { renderMail } from '../../src/mail/templates.js';
import { createMailTransport, type MailTransport } from '../../src/mail/transport.js';
import { type MailWorker, startMailWorker } from '../../src/mail/worker.js';

const HOUR_MS = 3_600_000;
const sender = { registryName: 'Registry', baseUrl: 'https://registry.example' };
let database: Database;
let addressCount = 0;

beforeAll(async () => {
  database = openDatabase({ connectionString: await createMigratedDatabase() });
});
afterAll(() => database.destroy());

const workers: MailWorker[] = [];
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await database.deleteFrom('mails').execute();
});

function transportTo({ settings }: Pick<MailServer, 'settings'>): MailTransport {
  const { mail } = loadConfig({ ...settings });
  if (!mail) throw new Error('no mail server');
  return createMailTransport(mail);
}

interface LogLine {
  readonly level: string;
  readonly details: { readonly reason?: string };
  readonly message: string;
}

function startWorker(server: Pick<MailServer, 'settings'>) {
  const lines: LogLine[] = [];
  const waiting: { readonly pattern: RegExp; readonly resolve: (line: LogLine) => void }[] = [];
  const worker = startMailWorker({
    outbox: new MailQueries(database),
    prepare: async ({ id }) => ({ template: 'verify-email', url: `https://registry.example/verify-email#${id}` }),
    render: (mail) => renderMail(mail, sender),
    transport: transportTo(server),
    log(level, details, message) {
      const line = { level, details, message };
      lines.push(line);
      for (const { pattern, resolve } of waiting) if (pattern.test(message)) resolve(line);
    },
  });
  workers.push(worker);
  return {
    worker,
    log: () => JSON.stringify(lines),
    waitForLog: (pattern: RegExp) =>
      new Promise<LogLine>((resolve) => {
        const known = lines.find(({ message }) => pattern.test(message));
        if (known) resolve(known);
        else waiting.push({ pattern, resolve });
      }),
  };
}

async function queueMail(recipient?: string, lifetimeMs = HOUR_MS): Promise<string> {
  addressCount += 1;
  const address = recipient ?? `reader-${addressCount}@example.com`;
  const data = { oneTimeTokenId: randomUUID() };
  const mail = { id: randomUUID(), recipient: address, template: 'verify-email', data } as const;
  await new MailQueries(database).insert(mail, lifetimeMs);
  return address;
}

const readMails = () => database.selectFrom('mails').select(['recipient', 'sent_at', 'last_error']).execute();

it('Two workers send every mail once', async () => {
  const server = await startMailServer();
  const addresses = await Promise.all(Array.from({ length: 40 }, () => queueMail()));
  startWorker(server);
  startWorker(server);
  await Promise.all(addresses.map((address) => server.nextMail(address)));
  await expect.poll(async () => (await readMails()).every(({ sent_at }) => sent_at !== null)).toBe(true);
  expect(addresses.map((address) => server.count(address))).toEqual(addresses.map(() => 1));
});

it('A mail waits while the server is down, and arrives when it is up again', async () => {
  const first = await startMailServer();
  await first.stop();
  const { worker, waitForLog, log } = startWorker(first);
  const address = await queueMail();
  const line = await waitForLog(/could not be sent/);
  expect(line.details.reason).toMatch(/ECONNREFUSED/);
  await expect(worker.check()).rejects.toThrow('ECONNREFUSED');
  const second = await startMailServer({ port: first.port });
  await second.nextMail(address);
  await waitForLog(/mail: sent/);
  await worker.check();
  expect(log()).not.toContain(address);
});

const badServers: [what: string, options: MailServerOptions, settings: Record<string, string>, reason: RegExp][] = [
  ['has a certificate of an unknown authority', { tls: 'implicit', isTrusted: false }, {}, /self-signed certificate/],
  ['offers STARTTLS with such a certificate', { tls: 'starttls', isTrusted: false }, {}, /self-signed certificate/],
  ['offers no STARTTLS, and is not on a loopback address', { host: '0.0.0.0' }, {}, /STARTTLS/],
  ['does not know the user', {}, { SMTP_URL: 'smtp://registry:wrong@127.0.0.1' }, /Invalid login/],
];
it.each(badServers)('A server that %s gets no mail, and the mail waits', async (_, options, settings, reason) => {
  const server = await startMailServer(options);
  const SMTP_URL = settings['SMTP_URL'] ? `${settings['SMTP_URL']}:${server.port}` : server.settings.SMTP_URL;
  const { waitForLog } = startWorker({ settings: { ...server.settings, SMTP_URL } });
  const address = await queueMail();
  expect((await waitForLog(/could not be sent/)).details.reason).toMatch(reason);
  await expect.poll(async () => (await readMails())[0]?.last_error).toMatch(reason);
  expect(await readMails()).toMatchObject([{ recipient: address, sent_at: null }]);
  expect(server.count(address)).toBe(0);
});

it('Mails that are refused for good or have expired are given up, and the log does not name the recipient', async () => {
  const server = await startMailServer();
  await queueMail('rejected-reader@example.com');
  await queueMail('"reader"<other@example.com>');
  await queueMail(undefined, -1);
  const { worker, log, waitForLog } = startWorker(server);
  await waitForLog(/given up/);
  await expect.poll(readMails).toEqual([]);
  expect(log()).toMatch(/No such mailbox.*rejected|rejected.*No such mailbox/);
  expect(log()).not.toContain('@');
  // It is the recipient that is refused: the server works.
  await worker.check();
});

it('A worker stops although the server does not answer, and the mail is not lost', async () => {
  const server = await startMailServer();
  const { worker } = startWorker(server);
  const address = await queueMail('unanswered@example.com');
  await server.waitForUnanswered(address);
  await worker.close();
  expect(await readMails()).toMatchObject([{ recipient: address, sent_at: null }]);
});

it('Neither a subject nor an address adds headers or recipients', async () => {
  const server = await startMailServer();
  const transport = transportTo(server);
  const body = { text: 'Text', html: '<p>Text</p>', stopUrl: undefined };
  const subject = 'Hello\r\nBcc: eve@example.com\r\n\r\nAnother text';
  await transport.send({ id: randomUUID(), recipient: 'a,eve@example.com', subject, ...body });
  const { raw, to } = await server.nextMail('"a,eve"@example.com');
  expect(to).not.toContain('eve@example.com');
  expect(raw).not.toMatch(/^bcc:/im);
  expect(server.count('eve@example.com')).toBe(0);
  const injected = { id: randomUUID(), recipient: 'a@example.com>\r\nRCPT TO:<eve@example.com', subject: 'x', ...body };
  await expect(transport.send(injected)).rejects.toThrow('rejected');
  expect(server.count('eve@example.com')).toBe(0);
});

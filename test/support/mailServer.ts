// A real mail server (smtpServer.mjs), the settings of a service that uses it, and the mails that it receives.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import PostalMime from 'postal-mime';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { afterAll } from 'vitest';
import { call, type Service, temporaryFolder } from './service.js';
import { createAuthority, createSelfSignedCertificate } from './tls.js';

export interface TestMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly from: { readonly name: string; readonly address: string };
  readonly to: readonly string[];
  readonly messageId: string;
  /** The first link in the text, and the token in its fragment. */
  readonly link: string;
  readonly token: string;
  /** The mail as it was sent. */
  readonly raw: string;
  readonly isEncrypted: boolean;
}

export interface MailServer {
  readonly port: number;
  /** Whose certificates the service trusts. */
  readonly authority: Authority;
  /** Settings of a service that sends its mails here; with TLS, of one that is a process. */
  readonly settings: Readonly<Record<'SMTP_URL' | 'MAIL_FROM', string>> & { readonly NODE_EXTRA_CA_CERTS?: string };
  /** The first mail to this address that was not returned yet; waits until there is one. */
  nextMail(address: string): Promise<TestMail>;
  /** How many mails to this address have arrived. */
  count(address: string): number;
  /** Resolves when a mail to this `unanswered…@` address has arrived. */
  waitForUnanswered(address: string): Promise<void>;
  stop(): Promise<void>;
}

export interface MailServerOptions {
  /** `none` by default: services accept that on loopback addresses. */
  readonly tls?: 'none' | 'starttls' | 'implicit';
  /** The host in SMTP_URL, and in the certificate. */
  readonly host?: string;
  /** Whether the certificate is of an authority that services trust. */
  readonly isTrusted?: boolean;
  /** Those of a server that was stopped. */
  readonly port?: number;
  readonly authority?: Authority;
}

type Authority = Awaited<ReturnType<typeof createAuthority>>;

const program = fileURLToPath(new URL('./smtpServer.mjs', import.meta.url));
const account = { user: 'registry@mail.example', password: 'a password: for tests' };

const Line = Type.Union([
  Type.Object({ port: Type.Number() }),
  Type.Object({
    recipients: Type.Array(Type.String()),
    raw: Type.String(),
    isAnswered: Type.Boolean(),
    isEncrypted: Type.Boolean(),
  }),
]);

/** Opens the link of the next mail to the address, which has just signed up. */
export async function verifyAddress(service: Pick<Service, 'url'>, mail: MailServer, email: string): Promise<void> {
  const { token } = await mail.nextMail(email);
  const { status } = await call(service, 'POST', '/api/v1/auth/verify-email', { body: { token } });
  if (status !== 204) throw new Error(`the address is not verified: ${status}`);
}

const running: (() => Promise<void>)[] = [];
afterAll(async () => {
  await Promise.all(running.map((stop) => stop()));
});

export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { tls = 'none', host = '127.0.0.1', isTrusted = true, port = 0 } = options;
  const { authority = await createAuthority() } = options;
  const certificate = isTrusted ? await authority.issue(host) : await createSelfSignedCertificate(host);
  const authorityFile = join(await temporaryFolder(), 'authority.pem');
  await writeFile(authorityFile, authority.pem);
  const child = spawn(process.execPath, [program, JSON.stringify({ port, tls, ...certificate, ...account })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  }
  running.push(stop);

  const mails = createMailbox();
  const unanswered = createMailbox();
  const listening = new Promise<number>((resolve, reject) => {
    child.once('close', () => reject(new Error('the mail server stopped')));
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = Value.Parse(Line, JSON.parse(text));
      if ('port' in line) resolve(line.port);
      else for (const address of line.recipients) (line.isAnswered ? mails : unanswered).add(address, line);
    });
  });
  const usedPort = await listening;
  const login = `${encodeURIComponent(account.user)}:${encodeURIComponent(account.password)}`;
  return {
    port: usedPort,
    authority,
    settings: {
      SMTP_URL: `${tls === 'implicit' ? 'smtps' : 'smtp'}://${login}@${host}:${usedPort}`,
      MAIL_FROM: 'Test registry <registry@mail.example>',
      ...(tls !== 'none' && { NODE_EXTRA_CA_CERTS: authorityFile }),
    },
    nextMail: async (address) => readMail(await mails.next(address)),
    count: (address) => mails.count(address),
    waitForUnanswered: async (address) => void (await unanswered.next(address)),
    stop,
  };
}

interface Delivery {
  readonly raw: string;
  readonly isEncrypted: boolean;
}

/** Mails by recipient, each handed out once. */
function createMailbox() {
  const counts = new Map<string, number>();
  const waitingMails = new Map<string, Delivery[]>();
  const waitingReaders = new Map<string, ((mail: Delivery) => void)[]>();
  return {
    add(address: string, mail: Delivery): void {
      counts.set(address, (counts.get(address) ?? 0) + 1);
      const reader = waitingReaders.get(address)?.shift();
      if (reader) reader(mail);
      else waitingMails.set(address, [...(waitingMails.get(address) ?? []), mail]);
    },
    next(address: string): Promise<Delivery> {
      const mail = waitingMails.get(address)?.shift();
      if (mail) return Promise.resolve(mail);
      return new Promise((resolve) => {
        waitingReaders.set(address, [...(waitingReaders.get(address) ?? []), resolve]);
      });
    },
    count: (address: string) => counts.get(address) ?? 0,
  };
}

async function readMail({ raw, isEncrypted }: Delivery): Promise<TestMail> {
  const bytes = Buffer.from(raw, 'base64');
  const { subject = '', text = '', html = '', from, to = [], messageId = '' } = await PostalMime.parse(bytes);
  const [link = ''] = /https?:\/\/\S+/.exec(text) ?? [];
  return {
    subject,
    text,
    html,
    from: { name: from?.name ?? '', address: from?.address ?? '' },
    to: to.map(({ address = '' }) => address),
    messageId,
    link,
    token: link.split('#')[1] ?? '',
    raw: bytes.toString('utf8'),
    isEncrypted,
  };
}

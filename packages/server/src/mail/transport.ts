// Sends mails over SMTP. Certificates are always checked.

import { createTransport } from 'nodemailer';
import { MailError } from './mailError.js';

/** A mail server that is far away or busy still connects and greets within this time. */
const CONNECT_MS = 10_000;
/** Servers that scan mails before they answer take some seconds. */
const SILENCE_MS = 20_000;

export interface TransportOptions {
  readonly server: {
    readonly host: string;
    readonly port: number;
    /** Uses TLS from the first byte; otherwise by STARTTLS. */
    readonly implicitTls: boolean;
    /** STARTTLS is not required there, but used if the server offers it. */
    readonly isLoopback: boolean;
    readonly credentials: { readonly user: string; readonly password: string } | undefined;
  };
  readonly from: { readonly name: string | undefined; readonly address: string };
}

export interface OutgoingMail {
  readonly id: string;
  readonly recipient: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** A page that stops such mail, and the address of the one-click form of RFC 8058. */
  readonly stopUrl: string | undefined;
}

export interface MailTransport {
  send(mail: OutgoingMail): Promise<void>;
  /** Connects and logs in, without sending anything. */
  check(): Promise<void>;
}

export function createMailTransport({ server, from }: TransportOptions): MailTransport {
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.implicitTls,
    requireTLS: !server.implicitTls && !server.isLoopback,
    ...(server.credentials && { auth: { user: server.credentials.user, pass: server.credentials.password } }),
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: true },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // Mails are built from text alone.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    async send({ id, recipient, subject, text, html, stopUrl }) {
      try {
        await transport.sendMail({
          from: { name: from.name ?? '', address: from.address },
          // As an object: text would be parsed for further addresses.
          to: { name: '', address: recipient },
          messageId: `<${id}@${domain}>`,
          subject,
          text,
          html,
          headers: {
            'Auto-Submitted': 'auto-generated',
            'X-Auto-Response-Suppress': 'All',
            ...(stopUrl !== undefined && {
              'List-Unsubscribe': `<${stopUrl}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
        });
      } catch (error) {
        throw toMailError(error);
      }
    },

    async check() {
      try {
        await transport.verify();
      } catch (error) {
        throw toMailError(error);
      }
    },
  };
}

/** Some servers answer with pages of text. */
const MAX_MESSAGE_LENGTH = 300;

/** Addresses are left out of the message, which is logged. */
function toMailError(error: unknown): MailError {
  const message = error instanceof Error ? error.message : String(error);
  const withoutAddresses = message.replace(/[^\s<>"']+@[^\s<>"']+/g, '[address]').slice(0, MAX_MESSAGE_LENGTH);
  return new MailError(withoutAddresses, isAboutThisMail(error));
}

/** The recipient or the mail is refused for good. Other errors concern all mails: the server, its settings, the sender. */
function isAboutThisMail(error: unknown): boolean {
  const { code, command, responseCode } = Object.assign({ code: '', command: '', responseCode: 0 }, error);
  if (code !== 'EENVELOPE' && code !== 'EMESSAGE') return false;
  return command !== 'MAIL FROM' && !(responseCode >= 400 && responseCode < 500);
}

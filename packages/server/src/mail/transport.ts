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
    /** From the first byte; otherwise by STARTTLS. */
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
    async send({ id, recipient, subject, text, html }) {
      try {
        await transport.sendMail({
          from: { name: from.name ?? '', address: from.address },
          // As an object: the text of an address is not parsed for further ones.
          to: { name: '', address: recipient },
          envelope: { from: from.address, to: recipient },
          messageId: `<${id}@${domain}>`,
          subject,
          text,
          html,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
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

/** Errors of this kind are about the recipient or the mail; all others about the server or the connection to it. */
const mailErrorCodes = new Set<unknown>(['EENVELOPE', 'EMESSAGE']);

/** Addresses are left out: the message is logged. */
function toMailError(error: unknown): MailError {
  const { message, code, responseCode } = Object.assign(
    { code: undefined, responseCode: undefined },
    error instanceof Error ? error : new Error(String(error)),
    { message: error instanceof Error ? error.message : String(error) },
  );
  const isFinal = mailErrorCodes.has(code) && typeof responseCode === 'number' && responseCode >= 500;
  return new MailError(message.replace(/[^\s<>"']+@[^\s<>"']+/g, '[address]').slice(0, MAX_MESSAGE_LENGTH), isFinal);
}

/** Some servers answer with pages of text. */
const MAX_MESSAGE_LENGTH = 300;

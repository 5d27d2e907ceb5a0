// A mail server as a process of its own: `node smtpServer.mjs OPTIONS`. Tests start it with `startMailServer` of
// mailServer.ts, which also waits for mails and reads them. Each mail that it accepts is a line of JSON on standard output.
// Users must log in. Two kinds of recipients are special: `rejected…@` is refused, and `unanswered…@` gets no response.

import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** @type {{ port: number, tls: 'none' | 'starttls' | 'implicit', key: string, cert: string, user: string, password: string }} */
const { port, tls, key, cert, user, password } = JSON.parse(process.argv[2] ?? '');

/** @param {object} line */
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const server = new SMTPServer({
  secure: tls === 'implicit',
  ...(tls !== 'none' && { key, cert }),
  disabledCommands: tls === 'none' ? ['STARTTLS'] : [],
  // Without TLS there is no other way to log in.
  allowInsecureAuth: tls === 'none',
  authMethods: ['PLAIN', 'LOGIN'],
  onAuth(auth, _session, callback) {
    if (auth.username === user && auth.password === password) callback(null, { user });
    else callback(new Error('Wrong user or password'));
  },
  onRcptTo({ address }, _session, callback) {
    if (!address.startsWith('rejected')) return callback();
    callback(Object.assign(new Error(`No such mailbox: <${address}>`), { responseCode: 550 }));
  },
  async onData(stream, session, callback) {
    const raw = (await buffer(stream)).toString('base64');
    const recipients = session.envelope.rcptTo.map(({ address }) => address);
    const isAnswered = !recipients.some((address) => address.startsWith('unanswered'));
    print({ recipients, raw, isAnswered, isEncrypted: session.secure });
    if (isAnswered) callback(null, 'accepted');
  },
});
// A client that refuses the certificate, or disconnects: the next connection is served all the same.
server.on('error', () => {});
server.listen(port, '127.0.0.1', () => print({ port: server.server.address()?.port }));

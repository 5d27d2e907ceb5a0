// The page behind the link in mail that others cause: stops such mail to the address, or allows it again. Works without
// JavaScript. The same address takes the one-click form of mail programs (RFC 8058): a POST request, whose body does not matter.

import { createHash } from 'node:crypto';
import { RegistryError } from '@provenance-registry/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { changeMailStop, isMailStopped } from '../../domain/accounts/mailToStrangers.js';
import type { Ports } from '../../domain/ports/index.js';

/** The form of mail programs has 26 bytes; with boundaries, some more. */
const MAX_BODY_BYTES = 1_024;

const style = `:root{color-scheme:light dark}
body{max-width:36rem;margin:4rem auto;padding:0 1rem;font:1rem/1.6 system-ui,sans-serif}
button{font:inherit;padding:.5rem 1rem}`;

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
};

interface Page {
  readonly title: string;
  readonly text: string;
  readonly form?: { readonly action: string; readonly label: string };
}

type TokenRequest = FastifyRequest<{ Params: { '*': string } }>;

export function stopMailRoutes(app: FastifyInstance, ports: Pick<Ports, 'store' | 'recipientTokens'>): void {
  const show = async (request: TokenRequest, reply: FastifyReply, change?: 'stop' | 'allow') => {
    const token = request.params['*'];
    const page = await describe(ports, token, change);
    reply
      .code(page ? 200 : 404)
      .headers(headers)
      .type('text/html; charset=utf-8');
    return render(page ?? unknownLink);
  };
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, _body, done) =>
      done(null),
    );
    scope.get('/stop-mail/*', (request: TokenRequest, reply) => show(request, reply));
    scope.post('/stop-mail/*', (request: TokenRequest, reply) => show(request, reply, 'stop'));
    scope.post('/allow-mail/*', (request: TokenRequest, reply) => show(request, reply, 'allow'));
  });
}

const unknownLink: Page = {
  title: 'This link does not work',
  text: 'It is incomplete, or not one of this service. Open the link in the mail again.',
};

/** Undefined when the service has made no such link. */
async function describe(
  ports: Pick<Ports, 'store' | 'recipientTokens'>,
  token: string,
  change: 'stop' | 'allow' | undefined,
): Promise<Page | undefined> {
  try {
    if (change) await changeMailStop(ports, token, change === 'stop');
    return describeState(token, await isMailStopped(ports, token), change !== undefined);
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'NOT_FOUND') return undefined;
    throw error;
  }
}

function describeState(token: string, isStopped: boolean, hasChanged: boolean): Page {
  if (isStopped) {
    return {
      title: hasChanged ? 'Mail to your address is stopped' : 'Mail to your address has been stopped',
      text:
        'This service sends no more invitations to your address, and no links for accounts that have not verified it. ' +
        'To use the address for an account of your own, allow mail again first.',
      form: { action: `/allow-mail/${token}`, label: 'Allow mail again' },
    };
  }
  return {
    title: hasChanged ? 'Mail to your address is allowed again' : 'Stop mail to your address',
    text:
      'Users of this service can have invitations mailed to you, and enter your address for an account of theirs. You can ' +
      'stop all such mail to your address. Those who cause it are not told.',
    form: { action: `/stop-mail/${token}`, label: 'Stop mail' },
  };
}

/** All of the text is written here, and a token that was accepted has no character that HTML would interpret. */
function render({ title, text, form }: Page): string {
  const button = form ? `<form method="post" action="${form.action}"><button>${form.label}</button></form>` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
${button}
</main>
</body>
</html>
`;
}

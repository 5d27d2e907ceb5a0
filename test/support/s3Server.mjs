// An S3-compatible store as a process of its own: `node s3Server.mjs PORT FOLDER BUCKET`. Its keys are S3RVER, S3RVER.
// The store itself accepts any signature, so a front checks them. As in a public bucket, files can be read without one.

import { createHash, createHmac } from 'node:crypto';
import { createServer, request as sendRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import S3rver from 's3rver';

/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:http').ServerResponse} ServerResponse */

const SECRET = 'S3RVER';
const [port, directory, bucket] = process.argv.slice(2);
const store = new S3rver({
  address: '127.0.0.1',
  port: 0,
  directory,
  silent: true,
  configureBuckets: [{ name: bucket }],
});
const { port: storePort } = await store.run();

createServer(async (request, response) => {
  const body = await buffer(request).catch(() => undefined);
  // The client is gone.
  if (!body) return;
  const reason = findRefusal(request, body);
  if (reason === undefined) forward(request, body, response);
  else response.writeHead(403).end(`<Error><Code>${reason}</Code></Error>`);
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));

/** @param {IncomingMessage} request @param {Buffer} body @returns {string | undefined} undefined: it is allowed */
function findRefusal(request, body) {
  if (request.headers.authorization !== undefined) {
    return isSigned(request, body) ? undefined : 'SignatureDoesNotMatch';
  }
  const isFileRead = request.method === 'GET' && /^\/[^/?]+\/[^/?]+/.test(request.url ?? '');
  return isFileRead ? undefined : 'AccessDenied';
}

/** @param {IncomingMessage} request @param {Buffer} body @param {ServerResponse} response */
function forward({ method, url, headers }, body, response) {
  const upstream = sendRequest({ host: '127.0.0.1', port: storePort, method, path: url, headers }, (result) => {
    response.writeHead(result.statusCode ?? 500, result.headers);
    result.pipe(response);
  });
  upstream.once('error', () => response.destroy());
  upstream.end(body);
}

/** Checks AWS Signature Version 4 over the received request. @param {IncomingMessage} request @param {Buffer} body */
function isSigned({ method, url = '', headers }, body) {
  const parts = /Credential=[^/]+\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)/.exec(
    headers.authorization ?? '',
  );
  const [, day = '', region = '', signedHeaders = '', signature] = parts ?? [];
  const names = signedHeaders.split(';');
  const given = headers['x-amz-content-sha256'];
  if (given !== 'UNSIGNED-PAYLOAD' && given !== createHash('sha256').update(body).digest('hex')) return false;
  const sent = Object.keys(headers).filter((name) => name.startsWith('x-amz-'));
  if (!['host', 'x-amz-date', ...sent].every((name) => names.includes(name))) return false;

  const { pathname, searchParams } = new URL(url, 'http://host');
  const query = [...searchParams].map((pair) => pair.map(awsEscape).join('=')).sort();
  const canonical = [
    method,
    decodeURIComponent(pathname).split('/').map(awsEscape).join('/'),
    query.join('&'),
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    signedHeaders,
    given,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const hash = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash].join('\n');
  /** @type {string | Buffer} */
  let key = `AWS4${SECRET}`;
  for (const part of [day, region, 's3', 'aws4_request']) key = hmac(key, part);
  return hmac(key, text).toString('hex') === signature;
}

/** @param {string | Buffer} key @param {string} text */
function hmac(key, text) {
  return createHmac('sha256', key).update(text).digest();
}

/** @param {string} text */
function awsEscape(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

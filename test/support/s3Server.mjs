// An S3-compatible store as a process of its own: `node s3Server.mjs PORT FOLDER BUCKET`. Its keys are S3RVER, S3RVER.
// The store itself accepts any signature and ignores conditions of writes, so a front checks both. As in a public bucket, files can be read without one.

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
  if (reason === undefined) await runAlone(request, () => forwardIfMet(request, body, response));
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

/** Writes of each file, one after the other. @type {Map<string, Promise<void>>} */
const running = new Map();

/** @param {IncomingMessage} request @param {() => Promise<void>} work */
function runAlone({ method, url = '' }, work) {
  if (method !== 'PUT') return work();
  const done = (running.get(url) ?? Promise.resolve()).then(work);
  running.set(url, done);
  return done.finally(() => running.get(url) === done && running.delete(url));
}

/** @param {IncomingMessage} request @param {Buffer} body @param {ServerResponse} response */
async function forwardIfMet(request, body, response) {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (request.method === 'PUT' && (ifMatch !== undefined || ifNoneMatch !== undefined)) {
    const etag = await readEtag(request);
    const isMet = ifMatch === undefined ? etag === undefined : etag === ifMatch;
    if (!isMet) {
      response.writeHead(412).end('<Error><Code>PreconditionFailed</Code></Error>');
      return;
    }
  }
  await forward(request, body, response);
}

/** @param {IncomingMessage} request @returns {Promise<string | undefined>} undefined: there is no such file */
function readEtag({ url, headers: { host } }) {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: storePort, method: 'HEAD', path: url, headers: { host } };
    const upstream = sendRequest(options, (result) => {
      result.resume();
      resolve(result.statusCode === 200 ? result.headers.etag : undefined);
    });
    upstream.once('error', reject);
    upstream.end();
  });
}

/** @param {IncomingMessage} request @param {Buffer} body @param {ServerResponse} response @returns {Promise<void>} */
function forward({ method, url, headers }, body, response) {
  return new Promise((resolve) => {
    const upstream = sendRequest({ host: '127.0.0.1', port: storePort, method, path: url, headers }, (result) => {
      response.writeHead(result.statusCode ?? 500, result.headers);
      result.pipe(response);
      result.once('close', resolve);
    });
    upstream.once('error', () => {
      response.destroy();
      resolve();
    });
    upstream.end(body);
  });
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

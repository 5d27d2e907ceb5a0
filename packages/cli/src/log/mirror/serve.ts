// Serves a copy as static files, to pages and tools of every origin.

import { type FileHandle, open } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { copyPaths, isCopyPath } from '@provenance-registry/log';
import { errorCode } from '../../errors.js';
import { type ListenOptions, listen } from '../listen.js';

const REQUEST_TIMEOUT_MS = 30_000;
/** Tiles and manifests are never other ones. */
const UNCHANGING = 'public, max-age=31536000, immutable';

export function serveCopy(folder: string, options: ListenOptions): ReturnType<typeof listen> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    (request, response) => {
      // A reader that goes away, or a file that does: the connection ends in the middle.
      respond(folder, request, response).catch(() => response.destroy());
    },
  );
  return listen(server, options);
}

async function respond(folder: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Also on a 404, so that pages of other sites can tell that there is no such file.
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('x-content-type-options', 'nosniff');
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'Only GET and HEAD.');
  const path = (request.url ?? '/').split('?', 1)[0]?.slice(1) ?? '';
  const file = isCopyPath(path) ? await openIfThere(join(folder, path)) : undefined;
  if (!file) return refuse(response, 404, 'Not found.');
  try {
    response.writeHead(200, {
      'content-type': mediaType(path),
      'content-length': (await file.stat()).size,
      'cache-control': isUnchanging(path) ? UNCHANGING : 'no-cache',
    });
    if (request.method === 'HEAD') response.end();
    else await pipeline(file.createReadStream({ autoClose: false }), response);
  } finally {
    await file.close();
  }
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

function isUnchanging(path: string): boolean {
  return path.startsWith('log/tile/') || path.startsWith('api/');
}

function mediaType(path: string): string {
  if (path === copyPaths.checkpoint) return 'text/plain; charset=utf-8';
  if (path === copyPaths.identity) return 'application/json';
  return path.startsWith('api/') ? 'application/c2pa' : 'application/octet-stream';
}

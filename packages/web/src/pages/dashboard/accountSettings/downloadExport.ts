// Downloads the export of an account, which may be larger than what an API call returns.

import { InvalidResponseError, ServiceUnreachableError } from '@provenance-registry/client';
import { trackedFetch } from '../../../registryClient.js';
import { markTokenRejected } from '../../../session.js';

/** The browser keeps large content on disk. Fails unless it is complete. */
export async function downloadExport(token: string, onProgress: (receivedBytes: number) => void): Promise<Blob> {
  try {
    const { status, body } = await trackedFetch('/api/v1/me/export', { headers: { authorization: `Bearer ${token}` } });
    if (status === 401) markTokenRejected(token);
    if (status >= 500) throw new ServiceUnreachableError(`The service responded with ${status}.`);
    if (status !== 200 || !body) throw new InvalidResponseError(`The service responded with ${status}.`);
    return await new Response(body.pipeThrough(countBytes(onProgress))).blob();
  } catch (error) {
    // fetch and its streams throw a TypeError when the connection fails.
    if (error instanceof TypeError) throw new ServiceUnreachableError('The connection failed.', { cause: error });
    throw error;
  }
}

function countBytes(
  onProgress: (bytes: number) => void,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      onProgress(bytes);
      controller.enqueue(chunk);
    },
  });
}

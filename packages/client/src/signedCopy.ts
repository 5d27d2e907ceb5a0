// Signed copies: images with their manifest embedded, as responses of the service.

import { InvalidResponseError } from './errors.js';
import type { HttpResponse } from './http.js';
import { parseResult, readMediaType } from './responses.js';

/**
 * An image with its manifest embedded, as the service returned it. It is registered under the Artifact of the original and
 * is found like it.
 * @example
 * ```ts
 * const { image, mediaType }: SignedCopy = await client.createSignedCopy({ fingerprint, file });
 * ```
 */
export interface SignedCopy {
  readonly image: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
  /** Where the service has the Artifact, or its manifest. */
  readonly location: string | undefined;
  /** The published manifest of the original. */
  readonly manifestUrl: string | undefined;
}

/**
 * The result of `client.signImage`. `image` and `mediaType` are undefined when the file's format cannot embed a manifest;
 * it is registered nevertheless.
 * @example
 * ```ts
 * const { image, mediaType }: SignedImage = await client.signImage({ markId, file });
 * ```
 */
export type SignedImage =
  | SignedCopy
  | (Omit<SignedCopy, 'image' | 'mediaType'> & { image: undefined; mediaType: undefined });

const MANIFEST_LINK = /<([^>]*)>\s*;\s*rel="c2pa-manifest"/;

/** The service returns JSON if a file cannot embed a manifest. */
export async function readSignedImage(response: HttpResponse): Promise<SignedImage> {
  if (isImage(response)) return readSignedCopy(response);
  await parseResult('createManifest', response);
  return { image: undefined, mediaType: undefined, ...readLinks(response) };
}

export function readSignedCopy(response: HttpResponse): SignedCopy {
  if (!isImage(response)) throw new InvalidResponseError('The response is not an image.');
  return { image: response.body, mediaType: readMediaType(response), ...readLinks(response) };
}

function isImage(response: HttpResponse): boolean {
  return readMediaType(response).startsWith('image/');
}

function readLinks({ url, headers }: HttpResponse): Pick<SignedCopy, 'location' | 'manifestUrl'> {
  const location = headers.get('location') ?? '';
  const [, manifestUrl] = MANIFEST_LINK.exec(headers.get('link') ?? '') ?? [];
  const isUrl = location !== '' && URL.canParse(location, url);
  return { location: isUrl ? new URL(location, url).href : undefined, manifestUrl };
}

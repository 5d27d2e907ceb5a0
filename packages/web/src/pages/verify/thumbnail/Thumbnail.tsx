// A small picture of the user's file, made on this device; an icon for files that are no pictures or too large ones.

import { limitConcurrency } from '@provenance-registry/core';
import { useEffect, useState } from 'preact/compat';
import * as texts from '#texts/lookups/verifyResult';
import * as iconStyles from '../../../ui/text/Icon.module.css';
import * as styles from './Thumbnail.module.css';
import type { ThumbnailResult } from './thumbnailWorker.js';

/** Larger than photos of most cameras; all of it is read into memory. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** A photo takes less than a second. A crafted file can take very long: then its worker is ended. */
const TIMEOUT_MS = 10_000;
/** Each decodes an image, which takes a core and much memory. */
const MAX_WORKERS = 2;

const limitWorkers = limitConcurrency(MAX_WORKERS, Number.POSITIVE_INFINITY, () => new Error('never full'));
/** A file is shown while it is hashed and again with its result. */
const thumbnails = new WeakMap<File, Promise<ThumbnailResult>>();

interface ThumbnailProps {
  /** Undefined after a reload, or when only a fingerprint is known. */
  readonly content: File | undefined;
  readonly mediaType: string;
}

export function Thumbnail({ content, mediaType }: ThumbnailProps) {
  const { url, isMissing } = useThumbnailUrl(content);
  return (
    <figure className={styles.thumbnail}>
      <div className={styles.frame}>
        {url === undefined ? <KindIcon mediaType={mediaType} /> : <img src={url} alt={texts.thumbnail} />}
      </div>
      {url !== undefined && <figcaption>{texts.shownFromDevice}</figcaption>}
      {isMissing && mediaType.startsWith('image/') && <figcaption>{texts.noThumbnail}</figcaption>}
    </figure>
  );
}

interface ThumbnailState {
  readonly url?: string;
  /** There will be none. */
  readonly isMissing?: boolean;
}

function useThumbnailUrl(content: File | undefined): ThumbnailState {
  const [state, setState] = useState<ThumbnailState>({});
  useEffect(() => {
    if (!content) return;
    let created: string | undefined;
    let isShown = true;
    findThumbnail(content).then(
      (thumbnail) => {
        if (!isShown) return;
        created = thumbnail && URL.createObjectURL(thumbnail);
        setState(created === undefined ? { isMissing: true } : { url: created });
      },
      // The icon stays: what the file looks like decides nothing.
      () => {},
    );
    return () => {
      isShown = false;
      if (created !== undefined) URL.revokeObjectURL(created);
    };
  }, [content]);
  return state;
}

function findThumbnail(content: File): Promise<ThumbnailResult> {
  const known = thumbnails.get(content);
  if (known) return known;
  const made = limitWorkers(() => makeThumbnail(content));
  thumbnails.set(content, made);
  return made;
}

async function makeThumbnail(content: File): Promise<ThumbnailResult> {
  if (!content.type.startsWith('image/') || content.size > MAX_FILE_BYTES) return undefined;
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./thumbnailWorker.ts', import.meta.url), { type: 'module' });
    const end = (result: ThumbnailResult) => {
      clearTimeout(timer);
      worker.terminate();
      resolve(result);
    };
    const timer = setTimeout(() => end(undefined), TIMEOUT_MS);
    worker.onerror = () => end(undefined);
    worker.onmessage = ({ data }: MessageEvent<ThumbnailResult>) => end(data);
    worker.postMessage(content);
  });
}

const kindPaths = {
  image: 'M4 5h16v14H4zm0 11l4.5-5 4 4.5 2.5-2.5 5 5M15.5 9.5v.1',
  audio: 'M9 18V6l10-2v12M9 18a2.5 2.5 0 11-5 0 2.5 2.5 0 015 0zm10-2a2.5 2.5 0 11-5 0 2.5 2.5 0 015 0z',
  video: 'M3 6h18v12H3zm7 3v6l5-3z',
  file: 'M6 3h8l4 4v14H6zm8 0v4h4',
} as const;

function KindIcon({ mediaType }: Pick<ThumbnailProps, 'mediaType'>) {
  const kind = (['image', 'audio', 'video'] as const).find((one) => mediaType.startsWith(`${one}/`)) ?? 'file';
  return (
    <svg className={iconStyles.icon} viewBox="0 0 24 24" aria-hidden="true">
      <path d={kindPaths[kind]} />
    </svg>
  );
}

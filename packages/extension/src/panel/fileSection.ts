// The file that is checked: where its bytes came from, how far they have arrived, and why there are none.

import { findImageFormat, type ImageFormat, readImageSize } from '@provenance-registry/client/imageHeader';
import { escapeHidden } from '@provenance-registry/core';
import { button, type Child, element, facts, isolate, replaceContent } from '../element.js';
import * as texts from '../texts/en.js';
import { askForHost, type FetchFailure, MAX_FETCH_MS, MAX_FILE_BYTES } from './fileFetch.js';
import { paragraph, quiet } from './findingRows.js';

/** Larger images take too much memory to be shown beside their codes. */
const MAX_PREVIEW_BYTES = 64 * 1024 * 1024;
const MAX_PREVIEW_PIXELS = 64e6;
/** JPEG and HEIF have their size after metadata. */
const HEADER_BYTES = 1024 * 1024;
const MAX_NAME_LENGTH = 200;
const MAX_ADDRESS_LENGTH = 1_000;

const mediaTypes: Readonly<Record<ImageFormat, readonly string[]>> = {
  jpeg: ['image/jpeg', 'image/jpg'],
  png: ['image/png', 'image/apng'],
  gif: ['image/gif'],
  webp: ['image/webp'],
  bmp: ['image/bmp', 'image/x-ms-bmp'],
  heif: ['image/heif', 'image/heic', 'image/avif'],
};

export interface CheckedFile {
  readonly content: Blob;
  readonly source: 'device' | 'page' | URL;
  readonly isRedirected: boolean;
  readonly statedType: string;
  /** The name of a file of the device. */
  readonly name?: string;
}

export interface FailureActions {
  readonly retry: () => void;
  readonly follow: () => void;
}

export function createFileSection() {
  const content = element('div');
  const bar = element('progress', { 'aria-label': texts.progress });
  const line = element('span');
  let previewUrl: string | undefined;
  return {
    section: element('section', {}, element('h2', {}, texts.theFile), content),
    showProgress(title: string, stop: () => void) {
      bar.removeAttribute('value');
      line.textContent = '';
      replaceContent(content, paragraph(title, ' ', line), bar, paragraph(button(texts.stop, stop)));
    },
    updateProgress(text: string, part: number | undefined) {
      line.textContent = text;
      if (part !== undefined) bar.value = part;
    },
    showText(...children: readonly Child[]) {
      replaceContent(content, ...children);
    },
    showFailure(url: string, failure: FetchFailure, actions: FailureActions) {
      const title = failure.name === 'refused' ? texts.notFetched : texts.notRead;
      replaceContent(content, paragraph(element('strong', {}, title)), ...describeFailure(url, failure, actions));
    },
    async showFile(file: CheckedFile) {
      if (previewUrl !== undefined) URL.revokeObjectURL(previewUrl);
      const header = new Uint8Array(await file.content.slice(0, HEADER_BYTES).arrayBuffer());
      const format = findImageFormat(header);
      previewUrl = mayPreview(file.content, header) ? URL.createObjectURL(file.content) : undefined;
      replaceContent(
        content,
        previewUrl !== undefined && element('img', { class: 'preview', src: previewUrl, alt: texts.preview }),
        describeFile(file, format),
        file.source instanceof URL && quiet(previewUrl === undefined ? texts.mayDifferUnseen : texts.mayDiffer),
        file.statedType === 'text/html' && paragraph(texts.isWebPage),
      );
    },
  };
}

/** Only formats whose header tells how much memory they take. */
function mayPreview(content: Blob, header: Uint8Array): boolean {
  const format = findImageFormat(header);
  const size = format && readImageSize(header, format);
  return size !== undefined && size.width * size.height <= MAX_PREVIEW_PIXELS && content.size <= MAX_PREVIEW_BYTES;
}

function describeFile(file: CheckedFile, format: ImageFormat | undefined): HTMLElement {
  const { source, isRedirected, content, name } = file;
  const isRemote = source instanceof URL;
  const fileName = name ?? (isRemote ? nameIn(source) : undefined);
  return facts(
    fileName === undefined ? undefined : [texts.name, isolate(shorten(escapeHidden(fileName), MAX_NAME_LENGTH))],
    [texts.from, describeSource(source, isRedirected)],
    isRemote ? [texts.address, element('code', {}, shorten(source.href, MAX_ADDRESS_LENGTH))] : undefined,
    [texts.type, describeType(file, format)],
    [texts.size, texts.formatSize(content.size)],
  );
}

function describeSource(source: CheckedFile['source'], isRedirected: boolean): string {
  if (source === 'device') return texts.fromDevice;
  if (source === 'page') return texts.fromPage;
  return isRedirected ? texts.afterRedirect(source.host) : texts.fetchedFrom(source.host);
}

/** Servers, and pages, can call a file anything. */
function describeType({ source, statedType }: CheckedFile, format: ImageFormat | undefined): string {
  const isRemote = source instanceof URL;
  if (format && !(isRemote && mediaTypes[format].includes(statedType))) {
    return isRemote ? texts.otherType(statedType, texts.formats[format]) : texts.typeByBytes(texts.formats[format]);
  }
  if (!isRemote) return statedType || texts.unknownType;
  const isUnlike = !format && statedType.startsWith('image/') && statedType !== 'image/svg+xml';
  return isUnlike ? texts.notThatType(statedType) : texts.statedType(statedType);
}

/** The last part of the path. */
function nameIn({ pathname }: URL): string | undefined {
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || undefined;
  } catch {
    return last;
  }
}

function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text;
}

function describeFailure(text: string, failure: FetchFailure, actions: FailureActions): Child[] {
  const host = URL.canParse(text) ? new URL(text).host : '';
  const again = paragraph(button(texts.tryAgain, actions.retry));
  switch (failure.name) {
    case 'refused':
      return [paragraph(texts.refusals[failure.reason])];
    case 'redirect':
      return [paragraph(texts.redirects(host)), paragraph(button(texts.follow, actions.follow))];
    case 'redirectRefused':
      return [paragraph(texts.redirectRefused(failure.reason))];
    case 'redirectKeptAway':
      return [paragraph(texts.redirectKeptAway(host))];
    case 'keptAway':
      return [paragraph(texts.keptAway(host)), ...offerAccess(new URL(text), actions.retry)];
    case 'unreachable':
      return [paragraph(texts.unreachable(host)), again];
    case 'status':
      return [paragraph(texts.status(host, failure.status)), again];
    case 'tooLarge':
      return [paragraph(texts.tooLarge(MAX_FILE_BYTES))];
    case 'tooSlow':
      return [paragraph(texts.tooSlow(MAX_FETCH_MS)), again];
    case 'interrupted':
      return [paragraph(texts.interrupted), again];
    case 'badInline':
      return [paragraph(texts.badInline)];
  }
}

function offerAccess(url: URL, retry: () => void): Child[] {
  const refused = element('p', { role: 'alert' });
  const ask = async () => {
    if (await askForHost(url)) retry();
    else refused.textContent = texts.notAllowed;
  };
  return [
    paragraph(
      button(texts.allowHost(url.hostname), () => void ask()),
      ' ',
      button(texts.tryAgain, retry),
    ),
    refused,
    quiet(texts.allowHostHint),
  ];
}

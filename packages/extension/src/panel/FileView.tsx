// The file that is checked: where its bytes came from, how far they have arrived, and why there are none.

import { findImageFormat, type ImageFormat, readImageSize } from '@provenance-registry/client/imageHeader';
import { Fact } from '@provenance-registry/web/ui/facts/Fact.js';
import * as factStyles from '@provenance-registry/web/ui/facts/Fact.module.css';
import { FileName } from '@provenance-registry/web/ui/file/FileName.js';
import { Button } from '@provenance-registry/web/ui/form/Button.js';
import * as basics from '@provenance-registry/web/ui/layout/basics.module.css';
import { formatSize } from '@provenance-registry/web/ui/text/format.js';
import { useEffect, useState } from 'preact/compat';
import { hostOf } from '../fileAddress.js';
import { OptionsButton } from '../OptionsButton.js';
import * as texts from '../texts/en.js';
import * as styles from './FileView.module.css';
import type { CheckedFile, FileCheck, FileStep } from './fileCheck.js';
import { askForHost, type FetchFailure, MAX_FETCH_MS, MAX_FILE_BYTES } from './fileFetch.js';

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

export function FileView({ step, check }: { readonly step: FileStep; readonly check: FileCheck }) {
  switch (step.name) {
    case 'message':
      return <p>{step.text}</p>;
    case 'noRegistry':
      return (
        <>
          <p>
            <strong>{texts.noRegistry}</strong>
          </p>
          <p>{texts.noRegistryText}</p>
          <OptionsButton label={texts.openOptions} />
        </>
      );
    case 'interrupted':
      return (
        <>
          <p>{step.text}</p>
          <Button onClick={() => void check.restart()}>{step.action}</Button>
        </>
      );
    case 'reading':
      return (
        <>
          <p>{step.text}</p>
          <progress aria-label={texts.progress} value={step.part} />
          <Button onClick={() => check.stop()}>{texts.stop}</Button>
        </>
      );
    case 'failed':
      return <Failure {...step} check={check} />;
    case 'read':
      return <ReadFile file={step.file} />;
  }
}

function ReadFile({ file }: { readonly file: CheckedFile }) {
  const { source, isRedirected, content, statedType, fingerprint } = file;
  const { format, previewUrl } = useHeader(content);
  const isRemote = source instanceof URL;
  const name = file.name ?? (isRemote ? nameIn(source) : undefined);
  return (
    <>
      {previewUrl !== undefined && <img className={styles.preview} src={previewUrl} alt={texts.preview} />}
      <dl className={factStyles.facts}>
        {name !== undefined && (
          <Fact name={texts.name}>
            <FileName name={shorten(name, MAX_NAME_LENGTH)} />
          </Fact>
        )}
        <Fact name={texts.from}>{describeSource(source, isRedirected)}</Fact>
        {isRemote && (
          <Fact name={texts.address}>
            <code>{shorten(source.href, MAX_ADDRESS_LENGTH)}</code>
          </Fact>
        )}
        <Fact name={texts.type}>{describeType(file, format)}</Fact>
        <Fact name={texts.size}>{formatSize(content.size)}</Fact>
        <Fact name={texts.fingerprint}>
          <code>{fingerprint}</code>
          <span className={factStyles.quietLine}>{texts.fingerprintMeaning}</span>
        </Fact>
      </dl>
      {isRemote && <p className={basics.quiet}>{previewUrl === undefined ? texts.mayDifferUnseen : texts.mayDiffer}</p>}
      {statedType === 'text/html' && <p>{texts.isWebPage}</p>}
    </>
  );
}

interface Header {
  readonly format?: ImageFormat | undefined;
  readonly previewUrl?: string | undefined;
}

/** Reads what the first bytes of a file say, and makes an address for its preview. */
function useHeader(content: Blob): Header {
  const [header, setHeader] = useState<Header>({});
  useEffect(() => {
    let previewUrl: string | undefined;
    let isShown = true;
    const read = async () => {
      const bytes = new Uint8Array(await content.slice(0, HEADER_BYTES).arrayBuffer());
      if (!isShown) return;
      if (mayPreview(content, bytes)) previewUrl = URL.createObjectURL(content);
      setHeader({ format: findImageFormat(bytes), previewUrl });
    };
    // A file of the device may be gone: it is shown without them.
    read().catch(() => {});
    return () => {
      isShown = false;
      if (previewUrl !== undefined) URL.revokeObjectURL(previewUrl);
    };
  }, [content]);
  return header;
}

/** Only formats whose header tells how much memory they take. */
function mayPreview(content: Blob, header: Uint8Array): boolean {
  const format = findImageFormat(header);
  const size = format && readImageSize(header, format);
  return size !== undefined && size.width * size.height <= MAX_PREVIEW_PIXELS && content.size <= MAX_PREVIEW_BYTES;
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

interface FailureProps {
  readonly url: string;
  readonly failure: FetchFailure;
  readonly check: FileCheck;
}

/** Failures that may be over at the next attempt. */
const passing: readonly FetchFailure['name'][] = ['unreachable', 'status', 'tooSlow', 'interrupted'];

function Failure({ url, failure, check }: FailureProps) {
  const retry = () => void check.restart();
  return (
    <>
      <p>
        <strong>{failure.name === 'refused' ? texts.notFetched : texts.notRead}</strong>
      </p>
      <p>{describeFailure(hostOf(url), failure)}</p>
      {failure.name === 'redirect' && (
        <Button onClick={() => void check.restart({ followsRedirects: true })}>{texts.follow}</Button>
      )}
      {failure.name === 'keptAway' && <AccessOffer url={new URL(url)} onRetry={retry} />}
      {passing.includes(failure.name) && <Button onClick={retry}>{texts.tryAgain}</Button>}
    </>
  );
}

function describeFailure(host: string, failure: FetchFailure): string {
  switch (failure.name) {
    case 'refused':
      return texts.refusals[failure.reason];
    case 'redirect':
      return texts.redirects(host);
    case 'redirectRefused':
      return texts.redirectRefused(failure.reason);
    case 'redirectKeptAway':
      return texts.redirectKeptAway(host);
    case 'keptAway':
      return texts.keptAway(host);
    case 'unreachable':
      return texts.unreachable(host);
    case 'status':
      return texts.status(host, failure.status);
    case 'tooLarge':
      return texts.tooLarge(formatSize(MAX_FILE_BYTES));
    case 'tooSlow':
      return texts.tooSlow(MAX_FETCH_MS);
    case 'interrupted':
      return texts.interrupted;
    case 'badInline':
      return texts.badInline;
  }
}

function AccessOffer({ url, onRetry }: { readonly url: URL; readonly onRetry: () => void }) {
  const [isRefused, setIsRefused] = useState(false);
  const ask = async () => {
    if (await askForHost(url)) onRetry();
    else setIsRefused(true);
  };
  return (
    <>
      <div className={basics.row}>
        <Button onClick={() => void ask()}>{texts.allowHost(url.hostname)}</Button>
        <Button onClick={onRetry}>{texts.tryAgain}</Button>
      </div>
      <p role="alert">{isRefused && texts.notAllowed}</p>
      <p className={basics.quiet}>{texts.allowHostHint}</p>
    </>
  );
}

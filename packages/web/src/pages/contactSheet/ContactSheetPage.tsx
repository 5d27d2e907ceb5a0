// A contact sheet: chosen files with their links, to share and to print. It is made from the fragment of the address alone, and
// shows what everyone may see.

import type { RegistryClient } from '@provenance-registry/client';
import { hashBlob } from '@provenance-registry/client/browser';
import type { Fingerprint } from '@provenance-registry/core';
import { type FormEvent, useCallback, useEffect, useMemo, useState } from 'preact/compat';
import * as texts from '#texts/artifacts/contactSheet';
import { hasErrorCode } from '../../errorMessages.js';
import { createPageClient } from '../../registryClient.js';
import { navigate, useCurrentUrl, useTitle } from '../../routing.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import { Notice } from '../../ui/feedback/Notice.js';
import { FileChooser } from '../../ui/file/FileChooser.js';
import type { PickedFile } from '../../ui/file/useFileDrop.js';
import { Button, buttonClass } from '../../ui/form/Button.js';
import { Field } from '../../ui/form/Field.js';
import * as fieldStyles from '../../ui/form/Field.module.css';
import * as basics from '../../ui/layout/basics.module.css';
import { copyText } from '../../ui/text/copyText.js';
import { Link } from '../../ui/text/Link.js';
import * as styles from './ContactSheetPage.module.css';
import { SheetCard, type SheetEntry } from './SheetCard.js';
import { decodeSheet, MAX_SHEET_TITLE_LENGTH, type Sheet, type SheetProblem, sheetAddress } from './sheetLink.js';

/** Browsers open six connections to a service at a time. */
const CONCURRENCY = 6;

export function ContactSheetPage() {
  const { hash } = useCurrentUrl();
  const sheet = useMemo(() => decodeSheet(hash.slice(1)), [hash]);
  useTitle(typeof sheet === 'object' && sheet.title !== '' ? sheet.title : texts.title);
  return typeof sheet === 'object' ? <SheetView sheet={sheet} /> : <SheetProblemView problem={sheet} />;
}

const problems = {
  empty: { title: texts.emptyTitle, text: texts.emptyText },
  broken: { title: texts.brokenTitle, text: texts.brokenText },
  version: { title: texts.versionTitle, text: texts.versionText },
} as const;

function SheetProblemView({ problem }: { readonly problem: SheetProblem }) {
  const { title, text } = problems[problem];
  return (
    <>
      <h1>{texts.title}</h1>
      <Notice
        tone={problem === 'empty' ? 'info' : 'warn'}
        title={title}
        actions={
          problem === 'empty' && (
            <Link to="/dashboard/files" className={buttonClass()}>
              {texts.toFiles}
            </Link>
          )
        }
      >
        <p>{text}</p>
      </Notice>
    </>
  );
}

function SheetView({ sheet }: { readonly sheet: Sheet }) {
  const { title, fingerprints } = sheet;
  const { entries, done, retry } = useEntries(fingerprints);
  const [pictures, setPictures] = useState<ReadonlyMap<string, string>>(new Map());
  return (
    <div>
      <header>
        <h1>{title === '' ? texts.title : <bdi>{title}</bdi>}</h1>
        <p className={basics.quiet}>{texts.lead(fingerprints.length)}</p>
      </header>
      <SheetControls sheet={sheet} onPictures={setPictures} />
      {done < fingerprints.length && <p role="status">{texts.loading(done, fingerprints.length)}</p>}
      {entries.includes('error') && (
        <Notice tone="bad" isAlert actions={<Button onClick={retry}>{texts.retry}</Button>}>
          <p>{texts.failedToLoad}</p>
        </Notice>
      )}
      <ul className={`${basics.list} ${styles.grid}`}>
        {fingerprints.map((fingerprint, index) => (
          <SheetCard
            key={fingerprint}
            fingerprint={fingerprint}
            entry={entries[index] ?? 'loading'}
            picture={pictures.get(fingerprint)}
          />
        ))}
      </ul>
      <p className={`${basics.quiet} ${styles.note}`}>{texts.madeFromLink}</p>
    </div>
  );
}

/** Read without the session: its owner sees the sheet as others do. */
function useEntries(fingerprints: readonly Fingerprint[]) {
  const client = useMemo(() => createPageClient(() => undefined), []);
  const [attempt, setAttempt] = useState(0);
  const [entries, setEntries] = useState<ReadonlyMap<Fingerprint, SheetEntry>>(new Map());
  const key = fingerprints.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the fingerprints, whose array changes with the title.
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = fingerprints.filter((fingerprint) => !isLoaded(entries.get(fingerprint)));
    const readNext = async () => {
      for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
        const fingerprint = next;
        const entry = await readEntry(client, fingerprint, signal);
        if (!signal.aborted) setEntries((last) => new Map([...last, [fingerprint, entry]]));
      }
    };
    for (let worker = 0; worker < CONCURRENCY; worker += 1) void readNext();
    return () => controller.abort();
  }, [client, key, attempt]);
  const retry = useCallback(() => setAttempt((number) => number + 1), []);
  const ordered = fingerprints.map((fingerprint) => entries.get(fingerprint) ?? 'loading');
  return { entries: ordered, done: ordered.filter((entry) => entry !== 'loading').length, retry };
}

function isLoaded(entry: SheetEntry | undefined): boolean {
  return typeof entry === 'object';
}

async function readEntry(client: RegistryClient, fingerprint: Fingerprint, signal: AbortSignal): Promise<SheetEntry> {
  try {
    return await client.getPublicArtifact({ fingerprint }, { signal });
  } catch (error) {
    return hasErrorCode(error, 'NOT_FOUND') ? 'unknown' : 'error';
  }
}

interface SheetControlsProps {
  readonly sheet: Sheet;
  readonly onPictures: (pictures: ReadonlyMap<string, string>) => void;
}

function SheetControls({ sheet, onPictures }: SheetControlsProps) {
  const [message, setMessage] = useState('');
  const say = (text: string) => {
    setMessage(text);
    announce(text);
  };
  const copyLink = async () => say((await copyText(location.href)) ? texts.linkCopied : texts.copyFailed);
  const setTitle = (title: string) => navigate(sheetAddress({ ...sheet, title }), { replace: true });
  const showPictures = async (picked: readonly PickedFile[]) => {
    const pictures = await matchPictures(sheet, picked);
    onPictures(pictures);
    say(pictures.size === 0 ? texts.noPictureMatches : texts.picturesAdded(pictures.size));
  };
  return (
    <section className={styles.controls} aria-label={texts.sheetActions}>
      <form onSubmit={(event: FormEvent) => event.preventDefault()}>
        <Field label={texts.titleLabel} hint={texts.titleHint}>
          {(inputProps) => (
            <input
              {...inputProps}
              type="text"
              value={sheet.title}
              maxLength={MAX_SHEET_TITLE_LENGTH}
              onChange={({ currentTarget }) => setTitle(currentTarget.value)}
            />
          )}
        </Field>
      </form>
      <div className={basics.row}>
        <Button kind="primary" onClick={copyLink}>
          {texts.copyLink}
        </Button>
        <Button onClick={() => print()}>{texts.print}</Button>
        <FileChooser label={texts.addPictures} onFiles={showPictures} />
        <span className={basics.quiet}>{message}</span>
      </div>
      <p className={fieldStyles.hint}>{texts.picturesHint}</p>
    </section>
  );
}

/** Addresses of the pictures on this device, by fingerprint. They last as long as the page. */
async function matchPictures({ fingerprints }: Sheet, picked: readonly PickedFile[]): Promise<Map<string, string>> {
  const pictures = new Map<string, string>();
  for (const { file } of picked.filter((one) => one.file.type.startsWith('image/'))) {
    const { fingerprint } = await hashBlob(file);
    if (fingerprints.includes(fingerprint)) pictures.set(fingerprint, URL.createObjectURL(file));
  }
  return pictures;
}

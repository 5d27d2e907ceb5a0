// The panel: checks the file that the user chose in the menu, or one of the device. Nothing is fetched before a registry is
// confirmed, and the registry is asked only when the bytes are there.

import { describeQuestion } from '@provenance-registry/client';
import { hashBlob } from '@provenance-registry/client/browser';
import { formatName, shortFingerprint } from '@provenance-registry/core';
import { type CheckRequest, takeRequest } from '../checkRequest.js';
import { button, element, facts, replaceContent } from '../element.js';
import { type RegistryPin, readPin, watchPin } from '../registryPin.js';
import * as texts from '../texts/en.js';
import { checkCredentials } from './credentials.js';
import { FileFetchError, fetchFile } from './fileFetch.js';
import { type CheckedFile, createFileSection } from './fileSection.js';
import { createFindingRows, paragraph, quiet } from './findingRows.js';
import { offerSearch } from './lookalikes.js';
import { checkRegistration } from './registration.js';
import { openSession } from './registrySession.js';
import '../style.css';

type Subject = CheckRequest | File;

/** Why a check was aborted that the user has not stopped. */
const REPLACED = 'replaced';

const log = element('div', { role: 'log', class: 'visually-hidden' });
const announce = (text: string) => log.append(paragraph(text));
const alarm = element('div');
const file = createFileSection();
const results = element('div');
const footer = element('footer');
let controller = new AbortController();
let subject: Subject | undefined;
let isWaitingForRegistry = false;

async function start(): Promise<void> {
  document.title = `${texts.panelTitle} – ${texts.extensionName}`;
  document.body.append(
    element('main', {}, element('h1', {}, texts.panelTitle), alarm, file.section, results, createChooser()),
    footer,
    log,
  );
  const id = location.hash.slice(1);
  subject = await takeRequest(id);
  if (!subject) file.showText(paragraph(id === 'too-long' ? texts.addressTooLong : texts.noRequest));
  watchPin(onPinChange);
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    choose(event.dataTransfer?.files[0]);
  });
  await restart();
}

function createChooser(): HTMLElement {
  const input = element('input', { type: 'file', id: 'file' });
  input.addEventListener('change', () => choose(input.files?.[0]));
  return element('section', {}, element('label', { for: 'file' }, texts.chooseFile), input, quiet(texts.orChoose));
}

function choose(chosen: File | undefined): void {
  if (!chosen) return;
  subject = chosen;
  void restart();
}

/** Only a check that waited for a registry goes on by itself. */
function onPinChange(): void {
  if (isWaitingForRegistry || !subject) {
    void restart();
    return;
  }
  controller.abort(REPLACED);
  replaceContent(results);
  replaceContent(alarm);
  replaceContent(footer);
  file.showText(paragraph(texts.registryReplaced), paragraph(button(texts.checkAgain, () => void restart())));
}

/** Checks the subject from the beginning. */
async function restart(options: { readonly followsRedirects?: boolean } = {}): Promise<void> {
  controller.abort(REPLACED);
  controller = new AbortController();
  const { signal } = controller;
  const pin = await readPin();
  if (signal.aborted) return;
  isWaitingForRegistry = !pin;
  replaceContent(results);
  replaceContent(alarm);
  replaceContent(footer, ...describeRegistry(pin));
  if (!subject) return;
  if (pin) await check(subject, pin, signal, options);
  else {
    file.showText(
      paragraph(element('strong', {}, texts.noRegistry)),
      paragraph(texts.noRegistryText),
      paragraph(button(texts.openOptions, () => void chrome.runtime.openOptionsPage())),
    );
  }
}

function describeRegistry(pin: RegistryPin | undefined) {
  const options = button(texts.changeRegistry, () => void chrome.runtime.openOptionsPage());
  if (!pin) return [];
  const { name, baseUrl, fingerprint } = pin;
  return [
    facts([
      texts.registry,
      formatName(name),
      element('br'),
      baseUrl,
      element('br'),
      element('code', {}, shortFingerprint(fingerprint)),
    ]),
    paragraph(options),
  ];
}

async function check(
  requested: Subject,
  pin: RegistryPin,
  signal: AbortSignal,
  options: { readonly followsRedirects?: boolean },
): Promise<void> {
  try {
    const checked = requested instanceof File ? describeChosen(requested) : await receive(requested, signal, options);
    const { fingerprint } = await hash(checked.content, signal);
    await file.showFile(checked);
    signal.throwIfAborted();
    showFindings(checked, fingerprint, pin, signal);
  } catch (error) {
    if (signal.aborted) {
      if (signal.reason !== REPLACED) showStopped();
    } else if (error instanceof FileFetchError && !(requested instanceof File)) {
      const actions = { retry: () => void restart(options), follow: () => void restart({ followsRedirects: true }) };
      file.showFailure(requested.url, error.failure, actions);
      announce(texts.notRead);
    } else file.showText(paragraph(texts.unreadable));
  }
}

function showStopped(): void {
  file.showText(paragraph(texts.stopped), paragraph(button(texts.tryAgain, () => void restart())));
}

function describeChosen(chosen: File): CheckedFile {
  return { content: chosen, source: 'device', isRedirected: false, statedType: chosen.type, name: chosen.name };
}

async function receive(
  request: CheckRequest,
  signal: AbortSignal,
  options: { readonly followsRedirects?: boolean },
): Promise<CheckedFile> {
  const isInline = request.url.startsWith('data:');
  const host = URL.canParse(request.url) ? new URL(request.url).host : '';
  file.showProgress(isInline ? texts.readingInline : texts.fetching(host), () => controller.abort());
  const onProgress = (bytes: number, total: number | undefined) =>
    file.updateProgress(texts.received(bytes, total), total && bytes / total);
  const { address, ...fetched } = await fetchFile(request, { ...options, signal, onProgress });
  return { ...fetched, source: address ?? 'page' };
}

function hash(content: Blob, signal: AbortSignal) {
  file.showProgress('', () => controller.abort());
  const onProgress = ({ bytes }: { readonly bytes: number }) =>
    file.updateProgress(texts.hashing(bytes, content.size), bytes / Math.max(content.size, 1));
  return hashBlob(content, { signal, onProgress });
}

function showFindings(
  { content }: CheckedFile,
  fingerprint: `0x${string}`,
  pin: RegistryPin,
  signal: AbortSignal,
): void {
  const { list, rows } = createFindingRows(announce);
  const learned = element('div', {}, paragraph(texts.nothingAsked));
  const learnedCodes = element('div');
  const onChanged = (now: string) => {
    replaceContent(alarm, describeChange(pin, now));
    replaceContent(learned, paragraph(texts.askedIdentity));
    announce(texts.changedTitle);
  };
  replaceContent(
    results,
    element('section', {}, element('h2', {}, texts.found), list),
    element('section', {}, element('h2', {}, texts.learned), learned, learnedCodes),
  );
  rows.fingerprint.show('computed', paragraph(element('code', {}, fingerprint)), quiet(texts.fingerprintMeaning));
  const session = openSession(pin, signal);
  const common = { content, fingerprint, session, signal, onChanged };
  void checkRegistration({
    ...common,
    rows,
    onDisclosed: (disclosed) => replaceContent(learned, paragraph(describeQuestion(disclosed))),
  });
  void checkCredentials({ ...common, row: rows.credentials });
  void offerSearch({
    ...common,
    row: rows.lookalikes,
    onDisclosed: () => replaceContent(learnedCodes, paragraph(texts.learnedCodes)),
  });
}

function describeChange({ fingerprint }: RegistryPin, now: string): HTMLElement {
  return element(
    'section',
    { class: 'alarm', role: 'alert' },
    element('h2', { class: 'tone-bad' }, texts.changedTitle),
    paragraph(texts.changedText),
    facts(
      [texts.pinned, element('code', {}, shortFingerprint(fingerprint))],
      [texts.now, element('code', {}, shortFingerprint(now))],
    ),
    paragraph(button(texts.openOptions, () => void chrome.runtime.openOptionsPage())),
  );
}

void start();

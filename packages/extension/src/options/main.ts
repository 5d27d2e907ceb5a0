// The options: the user names a registry, sees who it says that it is, and confirms it. It is asked only on a button press.

import { formatName, type RegistryIdentity, shortFingerprint } from '@provenance-registry/core';
import { describeError } from '../describeError.js';
import { button, type Child, element, facts, replaceContent } from '../element.js';
import { connect, parseBaseUrl, type RegistryPin, readIdentity, readPin, removePin, savePin } from '../registryPin.js';
import * as texts from '../texts/en.js';
import '../style.css';

/** Length of the name in a certificate. */
const MAX_SUBJECT_CHARACTERS = 120;

const current = element('div');
const shown = element('div', { 'aria-live': 'polite' });
const input = element('input', {
  id: 'address',
  type: 'text',
  inputmode: 'url',
  spellcheck: 'false',
  'aria-describedby': 'hint',
});
let controller = new AbortController();

async function start(): Promise<void> {
  document.title = `${texts.optionsTitle} – ${texts.extensionName}`;
  const form = element(
    'form',
    {},
    element('label', { for: 'address' }, texts.baseUrl),
    input,
    element('p', { id: 'hint', class: 'quiet' }, texts.baseUrlHint),
    element('p', {}, element('button', { type: 'submit' }, texts.readIdentity)),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void showIdentity();
  });
  document.body.append(
    element(
      'main',
      {},
      element('h1', {}, texts.optionsTitle),
      element('p', {}, texts.optionsIntro),
      element('section', {}, element('h2', {}, texts.current), current),
      element('section', {}, form, shown),
    ),
  );
  const pin = await readPin();
  showCurrent(pin);
  input.value = pin?.baseUrl ?? '';
}

function showCurrent(pin: RegistryPin | undefined): void {
  if (!pin) {
    replaceContent(current, element('p', {}, texts.none));
    return;
  }
  const { name, baseUrl, fingerprint } = pin;
  const remove = async () => {
    await removePin();
    showCurrent(undefined);
    showMessage(texts.removed);
  };
  replaceContent(
    current,
    facts(
      [texts.registryName, formatName(name)],
      [texts.baseUrl, baseUrl],
      [texts.fingerprint, element('code', {}, shortFingerprint(fingerprint))],
    ),
    element(
      'p',
      {},
      button(texts.removeRegistry, () => void remove()),
    ),
  );
}

function showMessage(text: string): void {
  replaceContent(shown, element('p', {}, text));
}

async function showIdentity(): Promise<void> {
  controller.abort();
  controller = new AbortController();
  const { signal } = controller;
  const baseUrl = parseBaseUrl(input.value);
  if (baseUrl === undefined) return showMessage(texts.badBaseUrl);
  showMessage(texts.readingIdentity);
  try {
    const [{ identity, fingerprint }, pin] = await Promise.all([readIdentity(connect({ baseUrl }), signal), readPin()]);
    if (signal.aborted) return;
    const isChanged = pin?.baseUrl === baseUrl && pin.fingerprint !== fingerprint;
    replaceContent(shown, ...describeIdentity(baseUrl, identity, fingerprint, isChanged));
  } catch (error) {
    if (!signal.aborted) showMessage(describeError(error));
  }
}

function describeIdentity(
  baseUrl: string,
  { name, chainId, contract, signerRoots, since }: RegistryIdentity,
  fingerprint: string,
  isChanged: boolean,
): Child[] {
  const confirm = async () => {
    const pin = { baseUrl, name, fingerprint };
    await savePin(pin);
    showCurrent(pin);
    showMessage(texts.confirmed);
  };
  return [
    element('h2', {}, texts.says(baseUrl)),
    facts(
      [texts.registryName, formatName(name)],
      chainId === undefined ? undefined : [texts.chain, String(chainId)],
      [texts.contract, element('code', {}, contract)],
      [texts.since, texts.formatTime(since)],
      ...signerRoots.map(({ subject }) => [texts.signerRoots, formatName(subject, MAX_SUBJECT_CHARACTERS)] as const),
      [texts.fingerprint, element('strong', {}, element('code', {}, shortFingerprint(fingerprint)))],
    ),
    isChanged && element('p', { class: 'tone-bad' }, texts.identityChanged),
    element('p', {}, texts.compare),
    element(
      'p',
      {},
      element('button', { type: 'button', class: 'primary', click: () => void confirm() }, texts.confirm),
    ),
  ];
}

void start();

// One check after another: of the file that the user chose in the menu, or of one of the device. Nothing is fetched before a
// registry is confirmed, and the registry is asked only when the bytes are there.

import { explanations } from '@provenance-registry/client';
import { hashBlob } from '@provenance-registry/client/browser';
import type { Fingerprint } from '@provenance-registry/core';
import { labelOf } from '@provenance-registry/web/ui/lookup/FindingRow.js';
import { type CheckRequest, takeRequest } from '../checkRequest.js';
import { hostOf } from '../fileAddress.js';
import { type RegistryPin, readPin, watchPin } from '../registryPin.js';
import * as texts from '../texts/en.js';
import { checkCredentials } from './credentials.js';
import { type FetchFailure, FileFetchError, fetchFile } from './fileFetch.js';
import type { FindingName, Findings, ShowFinding } from './findings.js';
import { offerSearch } from './lookalikes.js';
import { checkRegistration } from './registration.js';
import { openSession } from './registrySession.js';

type Subject = CheckRequest | File;

export interface CheckedFile {
  readonly content: Blob;
  readonly fingerprint: Fingerprint;
  readonly source: 'device' | 'page' | URL;
  readonly isRedirected: boolean;
  readonly statedType: string;
  /** The name of a file of the device. */
  readonly name?: string;
}

type ReadFile = Omit<CheckedFile, 'fingerprint'>;

/** How far the file has come. */
export type FileStep =
  | { readonly name: 'message'; readonly text: string }
  | { readonly name: 'noRegistry' }
  | { readonly name: 'interrupted'; readonly text: string; readonly action: string }
  | { readonly name: 'reading'; readonly text: string; readonly part: number | undefined }
  | { readonly name: 'failed'; readonly url: string; readonly failure: FetchFailure }
  | { readonly name: 'read'; readonly file: CheckedFile };

export interface CheckState {
  readonly step: FileStep;
  readonly pin?: RegistryPin | undefined;
  /** From the time when the bytes are there. */
  readonly findings?: Findings | undefined;
  readonly learned: string;
  readonly areHashesSent: boolean;
  /** Fingerprint of the registry, if it is not the one that the user confirmed. */
  readonly changedTo?: string | undefined;
  /** For screen readers. */
  readonly announcements: readonly string[];
}

interface CheckOptions {
  readonly followsRedirects?: boolean;
}

/** Why a check was aborted that the user has not stopped. */
const REPLACED = 'replaced';
const unchecked = { learned: texts.nothingAsked, areHashesSent: false } as const;

export class FileCheck {
  #state: CheckState = { ...unchecked, step: { name: 'message', text: '' }, announcements: [] };
  #controller = new AbortController();
  #subject: Subject | undefined;
  #isWaitingForRegistry = false;
  readonly #listeners = new Set<() => void>();

  readonly get = (): CheckState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** @param id of the request that the menu has left */
  async start(id: string): Promise<void> {
    this.#subject = await takeRequest(id);
    if (!this.#subject) this.#showMessage(id === 'too-long' ? texts.addressTooLong : texts.noRequest);
    watchPin(() => this.#onPinChange());
    await this.restart();
  }

  choose(file: File | undefined): void {
    if (!file) return;
    this.#subject = file;
    void this.restart();
  }

  stop(): void {
    this.#controller.abort();
  }

  /** Checks the subject from the beginning. */
  async restart(options: CheckOptions = {}): Promise<void> {
    const signal = this.#replaceController();
    const pin = await readPin();
    if (signal.aborted) return;
    this.#isWaitingForRegistry = !pin;
    this.#update({ ...unchecked, pin, findings: undefined, changedTo: undefined });
    if (!this.#subject) return;
    if (pin) await this.#check(this.#subject, pin, signal, options);
    else this.#update({ step: { name: 'noRegistry' } });
  }

  /** Only a check that waited for a registry goes on by itself. */
  #onPinChange(): void {
    if (this.#isWaitingForRegistry || !this.#subject) {
      void this.restart();
      return;
    }
    this.#replaceController();
    const step = { name: 'interrupted', text: texts.registryReplaced, action: texts.checkAgain } as const;
    this.#update({ ...unchecked, step, pin: undefined, findings: undefined, changedTo: undefined });
  }

  #replaceController(): AbortSignal {
    this.#controller.abort(REPLACED);
    this.#controller = new AbortController();
    return this.#controller.signal;
  }

  async #check(subject: Subject, pin: RegistryPin, signal: AbortSignal, options: CheckOptions): Promise<void> {
    try {
      const read = subject instanceof File ? describeChosen(subject) : await this.#receive(subject, signal, options);
      const file = { ...read, fingerprint: await this.#hash(read.content, signal) };
      signal.throwIfAborted();
      this.#update({ step: { name: 'read', file } });
      this.#startChecks(file, pin, signal);
    } catch (error) {
      if (signal.aborted) {
        if (signal.reason === REPLACED) return;
        this.#update({ step: { name: 'interrupted', text: texts.stopped, action: texts.tryAgain } });
      } else if (error instanceof FileFetchError && !(subject instanceof File)) {
        this.#update({ step: { name: 'failed', url: subject.url, failure: error.failure } });
        this.#announce(texts.notRead);
      } else this.#showMessage(texts.unreadable);
    }
  }

  async #receive(request: CheckRequest, signal: AbortSignal, options: CheckOptions): Promise<ReadFile> {
    const isInline = request.url.startsWith('data:');
    const title = isInline ? texts.readingInline : texts.fetching(hostOf(request.url));
    this.#showProgress(title, undefined);
    const onProgress = (bytes: number, total: number | undefined) =>
      this.#showProgress(`${title} ${texts.received(bytes, total)}`, total && bytes / total);
    const { address, ...fetched } = await fetchFile(request, { ...options, signal, onProgress });
    return { ...fetched, source: address ?? 'page' };
  }

  async #hash(content: Blob, signal: AbortSignal): Promise<Fingerprint> {
    const onProgress = ({ bytes }: { readonly bytes: number }) =>
      this.#showProgress(texts.hashing(bytes, content.size), bytes / Math.max(content.size, 1));
    const { fingerprint } = await hashBlob(content, { signal, onProgress });
    return fingerprint;
  }

  #startChecks({ content, fingerprint }: CheckedFile, pin: RegistryPin, signal: AbortSignal): void {
    const checking = { state: 'checking' } as const;
    this.#update({
      findings: { exact: checking, credentials: checking, lookalikes: checking, claims: checking },
    });
    const session = openSession(pin, signal);
    const onChanged = (now: string) => {
      this.#update({ changedTo: now, learned: texts.askedIdentity });
      this.#announce(texts.changedTitle);
    };
    const common = { content, fingerprint, session, signal, onChanged };
    void checkRegistration({
      ...common,
      showExact: this.#showFinding('exact'),
      showClaims: this.#showFinding('claims'),
      onDisclosed: (disclosure) => this.#update({ learned: explanations.disclosed(disclosure) }),
    });
    void checkCredentials({ ...common, show: this.#showFinding('credentials') });
    void offerSearch({
      ...common,
      show: this.#showFinding('lookalikes'),
      onDisclosed: () => this.#update({ areHashesSent: true }),
    });
  }

  readonly #showFinding =
    (name: FindingName): ShowFinding =>
    (state, content) => {
      const { findings } = this.#state;
      if (!findings) return;
      const isNew = findings[name].state !== state;
      this.#update({ findings: { ...findings, [name]: { state, content } } });
      if (isNew && state !== 'checking') this.#announce(texts.announcement(texts.rowTitles[name], labelOf(state)));
    };

  #showProgress(text: string, part: number | undefined): void {
    this.#update({ step: { name: 'reading', text, part } });
  }

  #showMessage(text: string): void {
    this.#update({ step: { name: 'message', text } });
  }

  #announce(text: string): void {
    this.#update({ announcements: [...this.#state.announcements, text] });
  }

  #update(changes: Partial<CheckState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

function describeChosen(chosen: File): ReadFile {
  return { content: chosen, source: 'device', isRedirected: false, statedType: chosen.type, name: chosen.name };
}

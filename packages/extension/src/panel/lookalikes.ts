// Look-alikes of the file: its codes are computed here at once, and sent only when the user asks for a search.

import type { FileCodes, RegistryClient } from '@provenance-registry/client';
import { computeCodes } from '@provenance-registry/client/browser';
import { escapeHidden, type Fingerprint, type Lookalike, NO_VERIFIED_IDENTITY } from '@provenance-registry/core';
import { describeError } from '../describeError.js';
import { button, element, facts, isolate, link } from '../element.js';
import * as texts from '../texts/en.js';
import { type FindingRow, paragraph, quiet } from './findingRows.js';
import { RegistryChangedError, type RegistrySession } from './registrySession.js';

interface LookalikeCheck {
  readonly content: Blob;
  readonly fingerprint: Fingerprint;
  readonly session: RegistrySession;
  readonly row: FindingRow;
  readonly signal: AbortSignal;
  /** Codes of the file are about to leave this device. */
  readonly onDisclosed: () => void;
  readonly onChanged: (fingerprint: string) => void;
}

type SearchRequest = Parameters<RegistryClient['findLookalikes']>[0];

export async function offerSearch(check: LookalikeCheck): Promise<void> {
  const { content, row, signal } = check;
  row.show('checking', paragraph(texts.computingCodes));
  try {
    const codes = await computeCodes(content, { signal });
    const request = toSearchRequest(codes);
    if (!request) return row.show('notChecked', paragraph(texts.missingCodes[codes.missing ?? 'unreadable']));
    const kind = codes.questions ? 'image' : 'audio';
    const start = () => void search(check, request, kind);
    return row.show(
      'notChecked',
      paragraph(texts.searchHint[kind]),
      showCodes(codes),
      paragraph(button(texts.search[kind], start)),
    );
  } catch {
    if (!signal.aborted) row.show('notChecked', paragraph(texts.missingCodes.unreadable));
  }
}

function toSearchRequest({ questions, chromaprint }: FileCodes): SearchRequest | undefined {
  if (questions) return { codes: [...questions] };
  return chromaprint === undefined ? undefined : { chromaprint };
}

function showCodes({ codes, questions = [], chromaprint }: FileCodes): HTMLElement {
  const values = codes ? Object.entries(codes) : [[texts.chromaprint, chromaprint ?? '']];
  return element(
    'details',
    {},
    element('summary', {}, texts.codes),
    ...values.map(([name = '', value = '']) => paragraph(`${name} `, element('code', {}, value))),
    questions.length > 0 && quiet(texts.turnedCodes(questions.length)),
  );
}

async function search(check: LookalikeCheck, request: SearchRequest, kind: Lookalike['kind']): Promise<void> {
  const { row, session, fingerprint, signal, onDisclosed, onChanged } = check;
  row.show('checking', paragraph(texts.searching));
  try {
    const client = await session.requireConfirmed();
    onDisclosed();
    const { lookalikes } = await client.findLookalikes(request, { signal });
    signal.throwIfAborted();
    // A registered file looks like itself.
    showLookalikes(
      lookalikes.filter((one) => one.fingerprint !== fingerprint),
      kind,
      check,
    );
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof RegistryChangedError) {
      row.show('notChecked', paragraph(texts.changedTitle));
      onChanged(error.fingerprint);
      return;
    }
    const again = button(texts.searchAgain, () => void search(check, request, kind));
    row.show('failed', paragraph(describeError(error)), paragraph(again));
  }
}

function showLookalikes(
  lookalikes: readonly Lookalike[],
  kind: Lookalike['kind'],
  { row, session }: LookalikeCheck,
): void {
  if (lookalikes.length === 0) {
    row.show('notFound', paragraph(texts.noLookalikes));
    return;
  }
  row.show(
    'noted',
    paragraph(texts.lookalikesFound(lookalikes.length, kind)),
    element('ul', {}, ...lookalikes.map((one) => element('li', {}, ...describeLookalike(one, session)))),
    quiet(texts.lookalikeLimits),
  );
}

function describeLookalike(lookalike: Lookalike, { pin }: RegistrySession): HTMLElement[] {
  const { mark, verifiedDomain, registeredAt, contested, fingerprint } = lookalike;
  return [
    paragraph(texts.closeness(lookalike)),
    facts(
      [texts.mark, mark ? isolate(escapeHidden(mark.name)) : texts.unnamedMark],
      mark && [texts.identity, verifiedDomain ?? NO_VERIFIED_IDENTITY],
      [texts.registered, texts.formatTime(registeredAt)],
      contested ? [texts.rowTitles.claims, texts.contestedLookalike] : undefined,
    ),
    paragraph(link(`${pin.baseUrl}/artifacts/${fingerprint}`, texts.openArtifact)),
  ];
}

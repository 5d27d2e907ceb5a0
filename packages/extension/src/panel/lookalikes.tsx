// Look-alikes of the file: its perceptual hashes are computed here at once, and sent only when the user asks for a search.

import {
  explanations,
  type LookalikeSearch,
  type MissingHashReason,
  type PerceptualHashes,
  searchLookalikes,
} from '@provenance-registry/client';
import { computePerceptualHashes } from '@provenance-registry/client/browser';
import type { Fingerprint, Lookalike } from '@provenance-registry/core';
import { Button } from '@provenance-registry/web/ui/form/Button.js';
import * as basics from '@provenance-registry/web/ui/layout/basics.module.css';
import { LookalikeList } from '@provenance-registry/web/ui/lookup/Lookalike.js';
import * as texts from '../texts/en.js';
import type { ShowFinding } from './findings.js';
import { Retry } from './Retry.js';
import { RegistryChangedError, type RegistrySession } from './registrySession.js';

interface LookalikeCheck {
  readonly content: Blob;
  readonly fingerprint: Fingerprint;
  readonly session: RegistrySession;
  readonly show: ShowFinding;
  readonly signal: AbortSignal;
  /** Perceptual hashes of the file are about to leave this device. */
  readonly onDisclosed: () => void;
  readonly onChanged: (fingerprint: string) => void;
}

export async function offerSearch(check: LookalikeCheck): Promise<void> {
  const { content, show, signal } = check;
  show('checking', <p>{texts.computingHashes}</p>);
  const showMissing = (reason: MissingHashReason) =>
    show('notChecked', <p>{texts.notCompared(explanations.missingHashes[reason])}</p>);
  try {
    const hashes = await computePerceptualHashes(content, { signal });
    if (hashes.missing) return showMissing(hashes.missing);
    const kind = hashes.queryHashes ? 'image' : 'audio';
    return show(
      'notChecked',
      <>
        <p>{texts.searchHint[kind]}</p>
        <Hashes hashes={hashes} />
        <Button onClick={() => void search(check, hashes, kind)}>{texts.search[kind]}</Button>
      </>,
    );
  } catch {
    if (!signal.aborted) showMissing('unreadable');
  }
}

function Hashes({ hashes: { hashes, queryHashes = [], chromaprint } }: { readonly hashes: PerceptualHashes }) {
  const values = hashes ? Object.entries(hashes) : [[texts.chromaprint, chromaprint ?? '']];
  return (
    <details>
      <summary>{texts.hashes[hashes ? 'image' : 'audio']}</summary>
      {values.map(([name, value]) => (
        <p key={name}>
          {name} <code>{value}</code>
        </p>
      ))}
      {queryHashes.length > 0 && <p className={basics.quiet}>{texts.turnedHashes(queryHashes.length)}</p>}
    </details>
  );
}

async function search(check: LookalikeCheck, hashes: PerceptualHashes, kind: Lookalike['kind']): Promise<void> {
  const { show, session, fingerprint, signal, onDisclosed, onChanged } = check;
  show('checking', <p>{texts.searching}</p>);
  try {
    const client = await session.requireConfirmed();
    onDisclosed();
    const { lookalikes } = await searchLookalikes(client, { fingerprint, hashes }, { signal });
    signal.throwIfAborted();
    const others = lookalikes.filter(({ isSameFile }) => !isSameFile);
    showLookalikes(others, kind, show);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof RegistryChangedError) {
      show('notChecked', <p>{texts.changedTitle}</p>);
      onChanged(error.fingerprint);
      return;
    }
    show('failed', <Retry error={error} onRetry={() => void search(check, hashes, kind)} />);
  }
}

function showLookalikes(lookalikes: LookalikeSearch['lookalikes'], kind: Lookalike['kind'], show: ShowFinding) {
  if (lookalikes.length === 0) return show('notFound', <p>{explanations.noLookalikes}</p>);
  return show(
    'noted',
    <>
      <p>{explanations.lookalikesFound(lookalikes.length, kind)}</p>
      <LookalikeList lookalikes={lookalikes} />
      <p className={basics.quiet}>{explanations.lookalikeLimits}</p>
    </>,
  );
}

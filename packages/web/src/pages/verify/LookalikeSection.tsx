// Look-alikes of a file that is not registered, beside a thumbnail of the file, which stays on this device.

import type { MissingCodes } from '@provenance-registry/client';
import type { Lookalike } from '@provenance-registry/core';
import { useEffect, useState } from 'preact/compat';
import { describeError } from '../../errorMessages.js';
import { isLookalikeSearchOn } from '../../lookalikeSwitches.js';
import { useStore } from '../../store.js';
import { Proof } from '../../ui/ArtifactFacts.js';
import { Button } from '../../ui/Button.js';
import { Icon } from '../../ui/Icon.js';
import { announce } from '../../ui/LiveRegion.js';
import { LookalikeView } from '../../ui/Lookalike.js';
import { type LookalikeSearch, useLookalikes } from './useLookalikes.js';
import './lookalikeSection.css';

interface LookalikeSectionProps {
  /** Undefined after a reload. */
  readonly content: File | undefined;
  /** The codes have left this device. */
  readonly onSent: () => void;
}

export function LookalikeSection({ content, onSent }: LookalikeSectionProps) {
  if (content) return <LookalikeComparison content={content} onSent={onSent} />;
  return <p className="quiet">To search for look-alikes of this file, choose it again.</p>;
}

function LookalikeComparison({ content, onSent }: LookalikeSectionProps & { readonly content: File }) {
  const isOn = useStore(isLookalikeSearchOn);
  const [isAsked, setIsAsked] = useState(false);
  const { search, retry } = useLookalikes(content, isOn || isAsked);
  const isPicture = content.type.startsWith('image/');
  const result = search.step === 'done' ? describeResult(search.lookalikes.length, isPicture) : undefined;
  const isSent = search.step === 'searching' || search.step === 'done' || search.step === 'failed';
  useEffect(() => {
    if (result !== undefined) announce(result);
  }, [result]);
  useEffect(() => {
    if (isSent) onSent();
  }, [isSent, onSent]);
  return (
    <section className="lookalike-section stack">
      <h3>{isPicture ? 'Pictures that look like yours' : 'Recordings that sound like yours'}</h3>
      <div className="comparison">
        <OwnFile content={content} hasThumbnail={isPicture && search.step === 'done'} />
        <div className="stack">
          <SearchState search={search} isPicture={isPicture} onRetry={retry} onSearch={() => setIsAsked(true)} />
          {search.step === 'done' && search.lookalikes.length > 0 && <LookalikeList lookalikes={search.lookalikes} />}
        </div>
      </div>
      {isSent && <SentCodes isPicture={isPicture} />}
      {search.step === 'done' && search.lookalikes.length > 0 && <LookalikeProof isPicture={isPicture} />}
    </section>
  );
}

/** Decoded only after it was found to be within the limits. */
function OwnFile({ content, hasThumbnail }: { readonly content: File; readonly hasThumbnail: boolean }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!hasThumbnail) return;
    const created = URL.createObjectURL(content);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [content, hasThumbnail]);
  return (
    <figure className="own-file">
      <div className="own-file-frame">
        {url === undefined ? <Icon name="file" /> : <img src={url} alt={`Your file ${content.name}`} />}
      </div>
      <figcaption>
        Your file, on this device: <bdi>{content.name}</bdi>
      </figcaption>
    </figure>
  );
}

interface SearchStateProps {
  readonly search: LookalikeSearch;
  readonly isPicture: boolean;
  readonly onRetry: () => void;
  readonly onSearch: () => void;
}

function SearchState({ search, isPicture, onRetry, onSearch }: SearchStateProps) {
  const what = isPicture ? 'picture' : 'recording';
  switch (search.step) {
    case 'off':
      return (
        <>
          <p>Look-alikes were not searched for: you have turned that off below.</p>
          <div className="row">
            <Button onClick={onSearch}>Search for this {what}</Button>
          </div>
        </>
      );
    case 'computing':
      return <p className="quiet">Computing codes of your {what} …</p>;
    case 'searching':
      return <p className="quiet">Searching for look-alikes …</p>;
    case 'incomparable':
      return <p>Look-alikes were not searched for: {missingTexts[search.missing]} Nothing was sent.</p>;
    case 'failed':
      return (
        <>
          <p className="tone-warn search-failed">
            <strong>Look-alikes could not be searched.</strong> {describeError(search.error, errorMessages)}
          </p>
          <div className="row">
            <Button onClick={onRetry}>Search again</Button>
          </div>
        </>
      );
    case 'done':
      return <p>{describeResult(search.lookalikes.length, isPicture)}</p>;
  }
}

const missingTexts: Readonly<Record<MissingCodes, string>> = {
  unsupported: 'this format cannot be compared.',
  'too-large': 'the file is larger than 32 MiB or 100 megapixels.',
  featureless: 'the file has too little in it to compare.',
  unreadable: 'this browser cannot decode the file.',
  'no-decoder': 'this browser cannot decode the file.',
};

const errorMessages = { UNAVAILABLE: 'The service has too many searches to do, or has just started. Try again soon.' };

function describeResult(number: number, isPicture: boolean): string {
  if (number === 0 && isPicture) {
    return 'No look-alike found. What your picture looks like was compared with the registered pictures that have codes, also mirrored and turned. Pictures of private Marks, heavy crops and heavy edits are not found.';
  }
  if (number === 0) {
    return 'No look-alike found. The first two minutes of your recording were compared with those of the registered recordings that have codes. Recordings of private Marks and heavy edits are not found.';
  }
  const verb = isPicture ? 'look' : 'sound';
  if (number === 1) return `One registered file ${verb}s like yours.`;
  return `${number} registered files ${verb} like yours, the closest first.`;
}

function LookalikeList({ lookalikes }: { readonly lookalikes: readonly Lookalike[] }) {
  return (
    <ul className="lookalikes">
      {lookalikes.map((lookalike) => (
        <li key={lookalike.fingerprint}>
          <LookalikeView lookalike={lookalike} />
        </li>
      ))}
    </ul>
  );
}

function SentCodes({ isPicture }: { readonly isPicture: boolean }) {
  return (
    <p className="question">
      <Icon name="lock" />
      <span>
        {isPicture
          ? 'Only a few codes of 8 bytes left this device, not the picture.'
          : 'Only the Chromaprint of the recording left this device, a few kilobytes, not the sound.'}{' '}
        By them this service learns which registered files it resembles.
      </span>
    </p>
  );
}

function LookalikeProof({ isPicture }: { readonly isPicture: boolean }) {
  return (
    <Proof
      proof={`Codes that were registered for these files are close to those of your file. The facts beside them are what this service states about the registered files, not about yours.`}
      limits={[
        `It does not prove that ${isPicture ? 'they show the same picture' : 'they are the same recording'}: different works can have close codes, and codes can be made to match.`,
        'Neither does it prove who made your file, or that a license of a registered file holds for yours.',
      ]}
    />
  );
}

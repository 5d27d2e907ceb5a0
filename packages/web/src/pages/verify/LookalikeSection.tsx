// The look-alikes of the user's file, what was sent to find them, and what they do not prove.

import { useEffect } from 'preact/compat';
import * as texts from '#texts/lookups/lookalikes';
import { Proof } from '../../ui/artifact/ArtifactFacts.js';
import { announce } from '../../ui/feedback/LiveRegion.js';
import * as basics from '../../ui/layout/basics.module.css';
import { LookalikeList } from '../../ui/lookup/Lookalike.js';
import { Icon } from '../../ui/text/Icon.js';
import { Disclosure } from './Disclosure.js';
import * as resultDetailsStyles from './ResultDetails.module.css';
import { foundLookalikes, type LookalikeState } from './useLookalikes.js';

/** Nothing without look-alikes. */
export function LookalikeSection({ state }: { readonly state: LookalikeState }) {
  const { search, kind } = state;
  const found = foundLookalikes(state);
  const summary = search.step === 'done' && found.length === 0 ? texts.noneFound[kind] : undefined;
  useEffect(() => {
    // What is found changes the headline, which is announced.
    if (summary !== undefined) announce(summary);
  }, [summary]);
  if (found.length === 0) return null;
  return (
    <Disclosure title={texts.title[kind]} isOpen>
      <LookalikeList lookalikes={found} />
      <Proof proof={texts.proof} limits={[texts.notTheSame[kind], texts.notTheMaker]} />
    </Disclosure>
  );
}

/** Nothing unless perceptual hashes have left this device. */
export function SentHashes({ state: { areHashesSent, kind } }: { readonly state: LookalikeState }) {
  if (!areHashesSent) return null;
  return (
    <p className={`${basics.aside} ${resultDetailsStyles.sent}`}>
      <Icon name="lock" />
      <span>{texts.sentCodes[kind]}</span>
    </p>
  );
}

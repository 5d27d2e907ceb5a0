// The look-alikes of the user's file, what was sent to find them, and what they do not prove.

import { useEffect } from 'preact/compat';
import * as texts from '#texts/lookalikes';
import { Proof } from '../../ui/ArtifactFacts.js';
import { Icon } from '../../ui/Icon.js';
import { announce } from '../../ui/LiveRegion.js';
import { LookalikeView } from '../../ui/Lookalike.js';
import { Disclosure } from './Disclosure.js';
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
      <ul className="lookalikes">
        {found.map((lookalike) => (
          <li key={lookalike.fingerprint}>
            <LookalikeView lookalike={lookalike} />
          </li>
        ))}
      </ul>
      <Proof proof={texts.proof} limits={[texts.notTheSame[kind], texts.notTheMaker]} />
    </Disclosure>
  );
}

/** Nothing unless codes have left this device. */
export function SentCodes({ state: { areCodesSent, kind } }: { readonly state: LookalikeState }) {
  if (!areCodesSent) return null;
  return (
    <p className="sent-note">
      <Icon name="lock" />
      <span>{texts.sentCodes[kind]}</span>
    </p>
  );
}

// The options: the user names a registry, sees who it says that it is, and confirms it. It is asked only on a button press.

import { formatName, type RegistryIdentity, shortFingerprint } from '@provenance-registry/core';
import { Fact } from '@provenance-registry/web/ui/facts/Fact.js';
import * as factStyles from '@provenance-registry/web/ui/facts/Fact.module.css';
import { Notice } from '@provenance-registry/web/ui/feedback/Notice.js';
import { Button } from '@provenance-registry/web/ui/form/Button.js';
import { Field } from '@provenance-registry/web/ui/form/Field.js';
import { Card } from '@provenance-registry/web/ui/layout/Card.js';
import { Timestamp } from '@provenance-registry/web/ui/text/Timestamp.js';
import { type FormEvent, useRef, useState } from 'preact/compat';
import { describeError } from '../describeError.js';
import { FocusHolder } from '../FocusHolder.js';
import { RegistryFacts } from '../RegistryFacts.js';
import { connect, parseBaseUrl, type RegistryPin, readIdentity, removePin, savePin } from '../registryPin.js';
import * as texts from '../texts/en.js';

/** Length of the name in a certificate. */
const MAX_SUBJECT_CHARACTERS = 120;

interface FoundRegistry {
  readonly baseUrl: string;
  readonly identity: RegistryIdentity;
  readonly fingerprint: string;
}

export function Options({ initialPin }: { readonly initialPin: RegistryPin | undefined }) {
  const [pin, setPin] = useState(initialPin);
  const [shown, setShown] = useState<string | FoundRegistry>('');
  const controller = useRef(new AbortController());

  const remove = async () => {
    await removePin();
    setPin(undefined);
    setShown(texts.removed);
  };
  const confirm = async ({ baseUrl, identity: { name }, fingerprint }: FoundRegistry) => {
    const confirmed = { baseUrl, name, fingerprint };
    await savePin(confirmed);
    setPin(confirmed);
    setShown(texts.confirmed);
  };
  const ask = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    controller.current.abort();
    controller.current = new AbortController();
    const { signal } = controller.current;
    const baseUrl = parseBaseUrl(String(new FormData(event.currentTarget).get('address')));
    if (baseUrl === undefined) return setShown(texts.badBaseUrl);
    setShown(texts.readingIdentity);
    try {
      const found = await readIdentity(connect({ baseUrl }), signal);
      if (!signal.aborted) setShown({ baseUrl, ...found });
    } catch (error) {
      if (!signal.aborted) setShown(describeError(error));
    }
  };

  return (
    <main>
      <h1>{texts.optionsTitle}</h1>
      <p>{texts.optionsIntro}</p>
      <Card title={texts.current}>
        <FocusHolder>
          {pin ? (
            <>
              <RegistryFacts pin={pin} />
              <Button onClick={() => void remove()}>{texts.removeRegistry}</Button>
            </>
          ) : (
            <p>{texts.none}</p>
          )}
        </FocusHolder>
      </Card>
      <Card>
        <form onSubmit={(event) => void ask(event)}>
          <Field label={texts.baseUrl} hint={texts.baseUrlHint}>
            {(inputProps) => (
              <input
                {...inputProps}
                name="address"
                type="text"
                inputMode="url"
                spellcheck={false}
                defaultValue={initialPin?.baseUrl ?? ''}
              />
            )}
          </Field>
          <Button type="submit" kind="primary">
            {texts.readIdentity}
          </Button>
        </form>
        <div aria-live="polite">
          <FocusHolder>
            {typeof shown === 'string' ? (
              <p>{shown}</p>
            ) : (
              <Identity
                found={shown}
                isChanged={pin?.baseUrl === shown.baseUrl && pin.fingerprint !== shown.fingerprint}
                onConfirm={() => void confirm(shown)}
              />
            )}
          </FocusHolder>
        </div>
      </Card>
    </main>
  );
}

interface IdentityProps {
  readonly found: FoundRegistry;
  /** Whether another identity was confirmed for this address. */
  readonly isChanged: boolean;
  readonly onConfirm: () => void;
}

function Identity({ found: { baseUrl, identity, fingerprint }, isChanged, onConfirm }: IdentityProps) {
  const { name, chainId, contract, signerRoots, since } = identity;
  return (
    <>
      <h2>{texts.says(baseUrl)}</h2>
      <dl className={factStyles.facts}>
        <Fact name={texts.registryName}>{formatName(name)}</Fact>
        {chainId !== undefined && <Fact name={texts.chain}>{chainId}</Fact>}
        <Fact name={texts.contract}>
          <code>{contract}</code>
        </Fact>
        <Fact name={texts.since}>
          <Timestamp at={since} />
        </Fact>
        {signerRoots.map(({ subject }) => (
          <Fact key={subject} name={texts.signerRoots}>
            {formatName(subject, MAX_SUBJECT_CHARACTERS)}
          </Fact>
        ))}
        <Fact name={texts.fingerprint}>
          <strong>
            <code>{shortFingerprint(fingerprint)}</code>
          </strong>
        </Fact>
      </dl>
      {isChanged && <Notice tone="bad">{texts.identityChanged}</Notice>}
      <p>{texts.compare}</p>
      <Button kind="primary" onClick={onConfirm}>
        {texts.confirm}
      </Button>
    </>
  );
}

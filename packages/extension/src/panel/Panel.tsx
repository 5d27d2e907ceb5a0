// The panel: the file, what was found, what the registry learned, and which registry it is.

import { explanations } from '@provenance-registry/client';
import { shortFingerprint } from '@provenance-registry/core';
import { Fact } from '@provenance-registry/web/ui/facts/Fact.js';
import * as factStyles from '@provenance-registry/web/ui/facts/Fact.module.css';
import { Notice } from '@provenance-registry/web/ui/feedback/Notice.js';
import { FileChooser } from '@provenance-registry/web/ui/file/FileChooser.js';
import * as basics from '@provenance-registry/web/ui/layout/basics.module.css';
import { Card } from '@provenance-registry/web/ui/layout/Card.js';
import { FindingRow } from '@provenance-registry/web/ui/lookup/FindingRow.js';
import * as rowStyles from '@provenance-registry/web/ui/lookup/FindingRow.module.css';
import { SiteContext } from '@provenance-registry/web/ui/text/Link.js';
import { useSyncExternalStore } from 'preact/compat';
import { FocusHolder } from '../FocusHolder.js';
import { OptionsButton } from '../OptionsButton.js';
import { RegistryFacts } from '../RegistryFacts.js';
import type { RegistryPin } from '../registryPin.js';
import * as texts from '../texts/en.js';
import { FileView } from './FileView.js';
import type { FileCheck } from './fileCheck.js';
import type { Findings } from './findings.js';

const rowNames = ['exact', 'credentials', 'lookalikes', 'claims'] as const;

export function Panel({ check }: { readonly check: FileCheck }) {
  const { step, pin, findings, learned, areHashesSent, changedTo, announcements } = useSyncExternalStore(
    check.subscribe,
    check.get,
  );
  return (
    <SiteContext value={pin?.baseUrl}>
      <main>
        <h1>{texts.panelTitle}</h1>
        {pin && changedTo !== undefined && <RegistryChanged pin={pin} now={changedTo} />}
        <Card title={texts.theFile}>
          <FocusHolder>
            <FileView step={step} check={check} />
          </FocusHolder>
        </Card>
        {findings && (
          <>
            <Card title={texts.found}>
              <FindingRows findings={findings} />
            </Card>
            <Card title={texts.learned}>
              <p>{learned}</p>
              {areHashesSent && <p>{explanations.disclosedBySearch}</p>}
            </Card>
          </>
        )}
        <Card>
          <FileChooser label={texts.chooseFile} isSingle onFiles={([chosen]) => check.choose(chosen?.file)} />
          <p className={basics.quiet}>{texts.orChoose}</p>
        </Card>
      </main>
      <footer>
        {pin && (
          <>
            <RegistryFacts pin={pin} />
            <OptionsButton label={texts.changeRegistry} />
          </>
        )}
      </footer>
      <div role="log" className={basics.visuallyHidden}>
        {announcements.map((text, index) => (
          <p key={index}>{text}</p>
        ))}
      </div>
    </SiteContext>
  );
}

function FindingRows({ findings }: { readonly findings: Findings }) {
  return (
    <dl className={rowStyles.rows}>
      {rowNames.map((name) => (
        <FindingRow key={name} title={texts.rowTitles[name]} state={findings[name].state}>
          <FocusHolder>{findings[name].content}</FocusHolder>
        </FindingRow>
      ))}
    </dl>
  );
}

function RegistryChanged({ pin, now }: { readonly pin: RegistryPin; readonly now: string }) {
  return (
    <Notice tone="bad" isAlert title={texts.changedTitle} actions={<OptionsButton label={texts.openOptions} />}>
      <p>{texts.changedText}</p>
      <dl className={factStyles.facts}>
        <Fact name={texts.pinned}>
          <code>{shortFingerprint(pin.fingerprint)}</code>
        </Fact>
        <Fact name={texts.now}>
          <code>{shortFingerprint(now)}</code>
        </Fact>
      </dl>
    </Notice>
  );
}

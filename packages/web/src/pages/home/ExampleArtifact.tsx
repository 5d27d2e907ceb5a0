// An Artifact that does not exist, marked as an example, in the form of a real one.

import * as texts from '#texts/site/home';
import { RecordLayout } from '../../ui/artifact/Randomart.js';
import { Fact } from '../../ui/facts/Fact.js';
import * as factStyles from '../../ui/facts/Fact.module.css';
import { Badge, StatusBadge } from '../../ui/feedback/StatusBadge.js';
import * as basics from '../../ui/layout/basics.module.css';
import * as cardStyles from '../../ui/layout/Card.module.css';
import * as styles from './ExampleArtifact.module.css';

/** The SHA-256 of "hello". */
const FINGERPRINT = '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

export function ExampleArtifact() {
  return (
    <div className={cardStyles.card}>
      <RecordLayout fingerprint={FINGERPRINT}>
        <div className={basics.row}>
          <Badge tone="info" icon="info" label={texts.exampleBadge} />
          <StatusBadge status="confirmed" />
        </div>
        <h3 className={styles.title}>{texts.exampleTitle(<bdi>{texts.exampleMark}</bdi>)}</h3>
        <dl className={factStyles.facts}>
          {texts.exampleFacts.map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
          <Fact name={texts.exampleFingerprint}>
            <code className={styles.fingerprint}>{FINGERPRINT}</code>
          </Fact>
        </dl>
      </RecordLayout>
    </div>
  );
}

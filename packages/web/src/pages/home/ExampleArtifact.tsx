// An Artifact that does not exist, marked as an example, in the form of a real one.

import * as texts from '#texts/home';
import { Fact } from '../../ui/Fact.js';
import { RecordLayout } from '../../ui/Randomart.js';
import { Badge, StatusBadge } from '../../ui/StatusBadge.js';

/** The SHA-256 of "hello". */
const FINGERPRINT = '0x2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';

export function ExampleArtifact() {
  return (
    <div className="card home-example">
      <RecordLayout fingerprint={FINGERPRINT}>
        <div className="row">
          <Badge tone="info" icon="info" label={texts.exampleBadge} />
          <StatusBadge status="confirmed" />
        </div>
        <h3 className="home-example-title">{texts.exampleTitle(<bdi>{texts.exampleMark}</bdi>)}</h3>
        <dl className="facts">
          {texts.exampleFacts.map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
          <Fact name={texts.exampleFingerprint}>
            <code className="home-fingerprint">{FINGERPRINT}</code>
          </Fact>
        </dl>
      </RecordLayout>
    </div>
  );
}

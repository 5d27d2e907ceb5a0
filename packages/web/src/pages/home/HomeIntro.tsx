// What this is, for newcomers: on the front page below the input, before a file is chosen.

import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/site/home';
import * as basics from '../../ui/layout/basics.module.css';
import * as cardStyles from '../../ui/layout/Card.module.css';
import { Icon } from '../../ui/text/Icon.js';
import { Link } from '../../ui/text/Link.js';
import { CallToAction } from './CallToAction.js';
import { ExampleArtifact } from './ExampleArtifact.js';
import * as styles from './HomeIntro.module.css';
import { Questions } from './Questions.js';
import { CheckPicture, HashPicture, RegisterPicture } from './StepPictures.js';
import { Term } from './Term.js';

export function HomeIntro() {
  return (
    <div className={styles.home}>
      <section aria-label={texts.steps}>
        <ol className={`${basics.list} ${styles.steps}`}>
          <Step picture={<HashPicture />} title={texts.hash.title}>
            {texts.hash.text(<Term name="fingerprint">{texts.terms.fingerprint}</Term>)}
          </Step>
          <Step picture={<RegisterPicture />} title={texts.register.title}>
            {texts.register.text(
              <Term name="mark">{texts.terms.mark}</Term>,
              <Term name="chain">{texts.terms.chain}</Term>,
              <Term name="artifact">{texts.terms.artifact}</Term>,
            )}
          </Step>
          <Step picture={<CheckPicture />} title={texts.check.title}>
            {texts.check.text}
          </Step>
        </ol>
      </section>
      <CallToAction />
      <section className={styles.section}>
        <h2>{texts.example}</h2>
        <p className={basics.quiet}>{texts.exampleText}</p>
        <ExampleArtifact />
      </section>
      <Proofs />
      <Alternatives />
      <section className={styles.section}>
        <h2>{texts.questions}</h2>
        <Questions questions={texts.firstQuestions} />
        <p>
          <Link to="/faq">{texts.allQuestions}</Link>
        </p>
      </section>
    </div>
  );
}

function Step({
  picture,
  title,
  children,
}: {
  readonly picture: ReactNode;
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <li>
      {picture}
      <h2>{title}</h2>
      <p>{children}</p>
    </li>
  );
}

function Proofs() {
  return (
    <section className={styles.section}>
      <h2>{texts.proofs}</h2>
      <div className={styles.proofs}>
        <div>
          <h3 data-tone="good">
            <Icon name="check" />
            {texts.proves}
          </h3>
          <FactList facts={texts.provenFacts} />
        </div>
        <div>
          <h3 data-tone="warn">
            <Icon name="cross" />
            {texts.doesNotProve}
          </h3>
          <FactList facts={texts.unprovenFacts} />
        </div>
      </div>
    </section>
  );
}

function FactList({ facts }: { readonly facts: readonly string[] }) {
  return (
    <ul>
      {facts.map((fact) => (
        <li key={fact}>{fact}</li>
      ))}
    </ul>
  );
}

function Alternatives() {
  return (
    <section className={styles.section}>
      <h2>{texts.alternatives}</h2>
      <p className={basics.quiet}>{texts.alternativesLead}</p>
      <ul className={`${basics.list} ${styles.alternatives}`}>
        {texts.alternativeList.map(({ name, better, weaker }) => (
          <li key={name} className={cardStyles.card}>
            <h3>{name}</h3>
            <dl>
              <dt data-tone="good">{texts.better}</dt>
              <dd>{better}</dd>
              <dt data-tone="warn">{texts.weaker}</dt>
              <dd>{weaker}</dd>
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}

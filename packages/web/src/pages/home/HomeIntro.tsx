// What this is, for newcomers: on the front page below the input, before a file is chosen.

import type { ReactNode } from 'preact/compat';
import * as texts from '#texts/home';
import { Icon } from '../../ui/Icon.js';
import { Link } from '../../ui/Link.js';
import { CallToAction } from './CallToAction.js';
import { ExampleArtifact } from './ExampleArtifact.js';
import { Questions } from './Questions.js';
import { CheckPicture, HashPicture, RegisterPicture } from './StepPictures.js';
import { Term } from './Term.js';
import './home.css';

export function HomeIntro() {
  return (
    <div className="home">
      <section aria-label={texts.steps}>
        <ol className="home-steps">
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
      <section className="home-section">
        <h2>{texts.example}</h2>
        <p className="quiet">{texts.exampleText}</p>
        <ExampleArtifact />
      </section>
      <Proofs />
      <Alternatives />
      <section className="home-section">
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
    <section className="home-section">
      <h2>{texts.proofs}</h2>
      <div className="home-proofs">
        <div>
          <h3 className="tone-good">
            <Icon name="check" />
            {texts.proves}
          </h3>
          <FactList facts={texts.provenFacts} />
        </div>
        <div>
          <h3 className="tone-warn">
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
    <section className="home-section">
      <h2>{texts.alternatives}</h2>
      <p className="quiet">{texts.alternativesLead}</p>
      <ul className="home-alternatives">
        {texts.alternativeList.map(({ name, better, weaker }) => (
          <li key={name} className="card">
            <h3>{name}</h3>
            <dl>
              <dt className="tone-good">{texts.better}</dt>
              <dd>{better}</dd>
              <dt className="tone-warn">{texts.weaker}</dt>
              <dd>{weaker}</dd>
            </dl>
          </li>
        ))}
      </ul>
    </section>
  );
}

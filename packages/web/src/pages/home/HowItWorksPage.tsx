// Explains registering and checking in plain words, and the words that the pages use.

import * as texts from '#texts/site/howItWorks';
import { useTitle } from '../../routing.js';
import * as basics from '../../ui/layout/basics.module.css';
import { Link } from '../../ui/text/Link.js';
import { CallToAction } from './CallToAction.js';
import * as explanationStyles from './Explanation.module.css';
import { CheckPicture, HashPicture, RegisterPicture } from './StepPictures.js';
import { useFragmentTarget } from './useFragmentTarget.js';

export function HowItWorksPage() {
  useTitle(texts.title);
  useFragmentTarget();
  return (
    <div className={explanationStyles.explanation}>
      <h1>{texts.title}</h1>
      <p className={basics.lead}>{texts.lead}</p>
      <section>
        <h2>{texts.registering}</h2>
        <div className={explanationStyles.pictures}>
          <HashPicture />
          <RegisterPicture />
        </div>
        <Steps steps={texts.registeringSteps} />
      </section>
      <section>
        <h2>{texts.checking}</h2>
        <div className={explanationStyles.pictures}>
          <CheckPicture />
        </div>
        <Steps steps={texts.checkingSteps} />
      </section>
      <section>
        <h2>{texts.words}</h2>
        <p className={basics.quiet}>{texts.wordsLead}</p>
        <dl className={explanationStyles.words}>
          {texts.wordList.map(({ id, word, text }) => (
            <div key={id} id={id}>
              <dt>{word}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section>
        <h2>{texts.limits}</h2>
        <ul>
          {texts.limitList.map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      </section>
      <CallToAction hasDetails={false} />
      <section>
        <h2>{texts.more}</h2>
        <ul>
          <li>
            <Link to="/faq">{texts.toFaq}</Link>
          </li>
          <li>
            <a href="/docs">{texts.toDocs}</a>
          </li>
          <li>
            <Link to="/gallery">{texts.toGallery}</Link>
          </li>
        </ul>
      </section>
    </div>
  );
}

function Steps({ steps }: { readonly steps: readonly { readonly title: string; readonly text: string }[] }) {
  return (
    <ol>
      {steps.map(({ title, text }) => (
        <li key={title}>
          <strong>{title}</strong> {text}
        </li>
      ))}
    </ol>
  );
}

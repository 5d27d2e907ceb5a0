// All questions and answers. A fragment opens the one that it names.

import * as texts from '#texts/site/faq';
import { firstQuestions } from '#texts/site/home';
import { useTitle } from '../../routing.js';
import * as basics from '../../ui/layout/basics.module.css';
import { CallToAction } from './CallToAction.js';
import * as explanationStyles from './Explanation.module.css';
import { Questions } from './Questions.js';
import { useFragmentTarget } from './useFragmentTarget.js';

export function FaqPage() {
  useTitle(texts.title);
  useFragmentTarget();
  return (
    <div className={explanationStyles.explanation}>
      <h1>{texts.title}</h1>
      <p className={basics.lead}>{texts.lead}</p>
      <section>
        <h2>{texts.topics.basics}</h2>
        <Questions questions={firstQuestions} />
      </section>
      <section>
        <h2>{texts.topics.registering}</h2>
        <Questions questions={texts.registering} />
      </section>
      <section>
        <h2>{texts.topics.checking}</h2>
        <Questions questions={texts.checking} />
      </section>
      <CallToAction />
    </div>
  );
}

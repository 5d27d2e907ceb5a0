// Questions with answers that open.

import type { Question } from '#texts/site/home';
import * as styles from './Questions.module.css';

export function Questions({ questions }: { readonly questions: readonly Question[] }) {
  return (
    <div className={styles.questions}>
      {questions.map(({ id, question, answer }) => (
        <details key={id} id={id}>
          <summary>{question}</summary>
          <div className={styles.answer}>{answer}</div>
        </details>
      ))}
    </div>
  );
}

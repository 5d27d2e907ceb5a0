// Questions with answers that open.

import type { Question } from '#texts/home';

export function Questions({ questions }: { readonly questions: readonly Question[] }) {
  return (
    <div className="questions">
      {questions.map(({ id, question, answer }) => (
        <details key={id} id={id}>
          <summary>{question}</summary>
          <div className="answer">{answer}</div>
        </details>
      ))}
    </div>
  );
}

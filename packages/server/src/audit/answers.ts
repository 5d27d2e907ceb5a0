// First answers that are kept for retries: each tells of an Artifact that was recorded together with it.

import type { AnswerKey, AuditRecords } from '../domain/ports/index.js';
import { pages, type Walk } from './walking.js';

const TOGETHER = 500;

export function answerWalk({ records }: { readonly records: AuditRecords }): Walk<AnswerKey> {
  return {
    what: 'answers',
    batches: () => pages<AnswerKey>((after) => records.answers(after, TOGETHER)),
    async judge(answers) {
      const wrong = await records.answersWithoutArtifact(answers);
      return wrong.map((answer) => ({
        subject: answer,
        divergence: {
          code: 'answer-without-artifact',
          about: { ...answer },
          message: `Idempotency key ${JSON.stringify(answer.key)} of ${answer.callerId}: no Artifact is as it was answered`,
          // A retry then creates what it asks for, instead of being told that it is there.
          repair: () => records.forgetAnswer(answer),
        },
      }));
    },
  };
}

import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import {
  type AiPreferences,
  aiPreferencesOf,
  aiUses,
  allowAiTrainingOf,
  changeAiPreferences,
  contentUsageOf,
  AiPreferences as Form,
  fillAiPreferences,
  findMisplacedConstraints,
  isSameAiPreferences,
  SomeAiPreferences,
  tdmReservationOf,
} from './aiPreferences.js';

const allowed = { use: 'allowed' } as const;
const notAllowed = { use: 'notAllowed' } as const;
const constrained = { use: 'constrained', constraint: 'Ask ada@example.com.' } as const;
const unspecified = fillAiPreferences(() => null);

describe('AI preferences', () => {
  it.each([
    [true, allowed],
    [false, notAllowed],
    [null, null],
  ])('are derived from allowAiTraining %s for all four uses', (allowAiTraining, expected) => {
    const derived = aiPreferencesOf({ allowAiTraining, aiPreferences: null });
    expect(Object.keys(derived)).toEqual([...aiUses]);
    expect(Object.values(derived)).toEqual([expected, expected, expected, expected]);
    expect(allowAiTrainingOf(derived)).toBe(allowAiTraining);
    expect(Value.Check(Form, derived)).toBe(true);
  });

  it('are the explicit ones where there are some', () => {
    const aiPreferences = { ...unspecified, data_mining: constrained };
    expect(aiPreferencesOf({ allowAiTraining: true, aiPreferences })).toEqual(aiPreferences);
  });

  it.each([
    [allowed, allowed, true],
    [allowed, notAllowed, false],
    [notAllowed, allowed, false],
    [allowed, constrained, false],
    [constrained, null, false],
    [null, notAllowed, false],
    [allowed, null, null],
    [null, allowed, null],
    [null, null, null],
  ])('of %j and %j for training mean allowAiTraining %s', (ai_training, ai_generative_training, expected) => {
    expect(allowAiTrainingOf({ ...unspecified, ai_training, ai_generative_training })).toBe(expected);
  });

  it('change only for the named uses, and keep only known members', () => {
    const before = aiPreferencesOf({ allowAiTraining: true });
    const stated = { ...constrained, constraint: 'Ask.', other: 1 };
    const after = changeAiPreferences(before, { data_mining: null, ai_inference: stated });
    expect(after).toEqual({ ...before, data_mining: null, ai_inference: { use: 'constrained', constraint: 'Ask.' } });
    expect(isSameAiPreferences(before, after)).toBe(false);
    expect(isSameAiPreferences(after, structuredClone(after))).toBe(true);
    expect(isSameAiPreferences(after, { ...after, ai_inference: constrained })).toBe(false);
  });

  it('have a constraint if and only if the use is constrained', () => {
    const preferences = {
      data_mining: { use: 'constrained' },
      ai_inference: { use: 'allowed', constraint: 'Ask.' },
      ai_training: constrained,
      ai_generative_training: notAllowed,
    } as const;
    expect(findMisplacedConstraints(preferences)).toEqual(['data_mining', 'ai_inference']);
    expect(findMisplacedConstraints({ ai_training: null })).toEqual([]);
  });

  it.each([
    [{}, true],
    [{ ai_training: null, data_mining: constrained }, true],
    [{ ai_training: 'notAllowed' }, false],
    [{ ai_training: {} }, false],
    [{ ai_training: { use: 'maybe' } }, false],
    [{ ai_training: { use: 'constrained', constraint: '' } }, false],
    [{ ai_training: { use: 'constrained', constraint: 'x'.repeat(501) } }, false],
    [{ ai_training: { use: 'constrained', constraint: 'a\u0000b' } }, false],
  ])('are taken as %j: %s', (preferences, isTaken) => {
    expect(Value.Check(SomeAiPreferences, preferences)).toBe(isTaken);
  });
});

describe('the vocabularies of the web', () => {
  it.each([
    [allowed, 'train-ai=y'],
    [notAllowed, 'train-ai=n'],
    [constrained, 'train-ai=n'],
    [null, undefined],
  ])('say of generative training %j: Content-Usage %s', (ai_generative_training, expected) => {
    expect(contentUsageOf({ ...unspecified, ai_training: allowed, ai_generative_training })).toBe(expected);
  });

  const everything = aiPreferencesOf({ allowAiTraining: true });
  it.each<[Partial<AiPreferences>, 0 | 1 | undefined]>([
    [{}, 0],
    [{ ai_inference: notAllowed }, 0],
    [{ data_mining: notAllowed }, 1],
    [{ data_mining: constrained }, 1],
    [{ data_mining: null }, undefined],
    // Allowing mining without reservation would allow the training that the registrant refuses.
    [{ ai_training: notAllowed }, undefined],
    [{ ai_generative_training: constrained }, undefined],
    [{ ai_generative_training: null }, undefined],
  ])('say of preferences with %j: tdm-reservation %s', (changes, expected) => {
    expect(tdmReservationOf({ ...everything, ...changes })).toBe(expected);
  });
});

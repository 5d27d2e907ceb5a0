import { expect, test } from 'vitest';
import { parseAiUses } from './aiUses.js';

test('preferences are parsed use by use, and conditions may contain the separators', async () => {
  expect(await parseAiUses([])).toBeUndefined();
  const values = ['data_mining=constrained:a=b: c', 'ai_inference=allowed', 'ai_training=unspecified'];
  expect(await parseAiUses(values)).toEqual({
    data_mining: { use: 'constrained', constraint: 'a=b: c' },
    ai_inference: { use: 'allowed' },
    ai_training: null,
  });
});

test.each([
  [['ai_trainig=allowed'], 'the use must be one of data_mining'],
  [['ai_training'], 'the preference must be allowed'],
  [['ai_training=forbidden'], 'the preference must be allowed'],
  [['ai_training=constrained'], 'the preference must be allowed'],
  [['ai_training=constrained:'], 'the preference must be allowed'],
  [['ai_training=allowed:always'], 'the preference must be allowed'],
  [['ai_training=allowed', 'ai_training=notAllowed'], 'two preferences for ai_training'],
])('%j is wrong use', async (values, message) => {
  await expect(parseAiUses(values)).rejects.toThrow(message);
});

import { expect, it } from 'vitest';
import { type ExitCode, worstExitCode } from './exitCode.js';

it.each<[readonly ExitCode[], ExitCode]>([
  [[], 0],
  [[0, 0], 0],
  [[0, 4], 4],
  [[4, 3, 0], 3],
  [[0, 3, 4, 1], 1],
])('the worst of %j is %i', (codes, worst) => {
  expect(worstExitCode(codes)).toBe(worst);
});

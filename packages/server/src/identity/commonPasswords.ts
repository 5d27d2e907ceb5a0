// The passwords that attackers try first.

import type { CommonPasswords } from '../domain/ports/index.js';
import { commonPasswordList } from './commonPasswords.generated.js';

export function createCommonPasswords(): CommonPasswords {
  return new Set(commonPasswordList.trim().split(/\s/));
}

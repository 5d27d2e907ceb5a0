// The passwords that attackers try first.

import type { CommonPasswords } from '../domain/ports/index.js';
import { commonPasswordList } from './commonPasswordList.js';

export function createCommonPasswords(): CommonPasswords {
  return new Set(commonPasswordList.trim().split(/\s/));
}

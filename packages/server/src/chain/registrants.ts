// How entries on chain name users: by a hash of their id, or, under a private Mark, of a pseudonym that nobody can link to it.

import { createHmac } from 'node:crypto';
import { type Hex, keccak256, stringToBytes } from 'viem';

/** What stands for the user of a registration; the chain has its keccak-256. */
export function registrantOf(userId: string, privateMarkId: string | null, pseudonymSecret: string): string {
  return privateMarkId === null ? userId : pseudonymOf(userId, privateMarkId, pseudonymSecret);
}

/** The hash of a user id would link registrations under a private Mark to the user's public ones. */
function pseudonymOf(userId: string, markId: string, secret: string): string {
  return createHmac('sha256', secret).update(`${userId} ${markId}`).digest('hex');
}

export function userIdHashOf(registrant: string): Hex {
  return keccak256(stringToBytes(registrant));
}

/** The topic of the contract's log, which hashes the hash again. */
export function registrantTopicOf(registrant: string): Hex {
  return keccak256(userIdHashOf(registrant));
}

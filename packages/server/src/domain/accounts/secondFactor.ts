// The second factor: codes of an authenticator app, and recovery codes for the day when it is lost.

import { createHash, randomInt } from 'node:crypto';
import { RegistryError, type TotpSetup, type User } from '@provenance-registry/core';
import { type Caller, requireUserSession } from '../caller.js';
import { fieldError } from '../errors.js';
import type { Ports, SecondFactor, Store } from '../ports/index.js';
import { changeWithPassword } from './credentials.js';
import { notifyUser } from './notices.js';

/** Three of a million codes are accepted at a time. */
const MAX_FAILURES = 10;
const BLOCK_MS = 15 * 60 * 1000;

const RECOVERY_CODES = 10;
/** 60 bits: guessing them needs no limit. */
const RECOVERY_CODE_LENGTH = 12;
/** Crockford's Base32: no letter looks like another or like a digit. */
const recoveryAlphabet = '0123456789abcdefghjkmnpqrstvwxyz';

export async function startTotp(ports: Ports, caller: Caller, password: string): Promise<TotpSetup> {
  return changeWithPassword(ports, caller, password, async (store, user) => {
    if (user.hasTotp) throw new RegistryError('CONFLICT', 'The account has a second factor already. Remove it first.');
    const { secret, url, encryptedSecret } = ports.totp.create({ id: user.id, label: user.email ?? user.name });
    await store.secondFactors.start(user.id, encryptedSecret);
    return { secret, url };
  });
}

export async function confirmTotp(ports: Ports, caller: Caller, code: string): Promise<{ recoveryCodes: string[] }> {
  requireUserSession(caller);
  const now = ports.clock();
  const recoveryCodes = Array.from({ length: RECOVERY_CODES }, createRecoveryCode);
  return ports.store.transaction(async (store) => {
    const user = await store.users.lock(caller.user.id, 'all');
    const factor = user && (await store.secondFactors.find(user.id));
    if (!factor || factor.isConfirmed) throw new RegistryError('CONFLICT', 'No second factor is being set up.');
    const step = ports.totp.findStep(factor, normalizeCode(code), now);
    if (step === undefined) {
      throw fieldError('code', 'Wrong code. Check that the clock of your device is right.');
    }
    await store.secondFactors.confirm(user.id, {
      at: now,
      step,
      recoveryCodeHashes: recoveryCodes.map(hashRecoveryCode),
    });
    await store.events.append({ type: 'account.totp_enabled', actorId: user.id, userId: user.id });
    await notifyUser(ports, store, user, 'totp-enabled');
    return { recoveryCodes };
  });
}

export async function removeTotp(ports: Ports, caller: Caller, password: string): Promise<void> {
  await changeWithPassword(ports, caller, password, async (store, user) => {
    if (!user.hasTotp) throw new RegistryError('NOT_FOUND', 'The account has no second factor.');
    await deleteSecondFactor(ports, store, user, user.id);
  });
}

/** Deletes a second factor, confirmed or not. The user is locked; `actorId`: undefined for the operator. */
export async function deleteSecondFactor(
  ports: Pick<Ports, 'mail' | 'clock'>,
  store: Store,
  user: User,
  actorId: string | undefined,
): Promise<void> {
  await store.secondFactors.delete(user.id);
  if (!user.hasTotp) return;
  await store.events.append({ type: 'account.totp_disabled', actorId, userId: user.id });
  await notifyUser(ports, store, user, 'totp-disabled');
}

/** Completes a log-in with the right password. Throws TOTP_REQUIRED without a code, and UNAUTHORIZED with a wrong one. */
export async function requireSecondFactor(ports: Ports, userId: string, code: string | undefined): Promise<void> {
  if (code === undefined) {
    throw new RegistryError('TOTP_REQUIRED', 'Enter the code of your authenticator app, or a recovery code.');
  }
  // The user is locked: of concurrent log-ins with the same code, on any process, one succeeds.
  const refusal = await ports.store.transaction(async (store) => {
    const user = await store.users.lock(userId, 'all');
    const factor = user && (await store.secondFactors.find(userId));
    // Removed since the account was read.
    if (!user || !factor?.isConfirmed) return undefined;
    const normalized = normalizeCode(code);
    return /^\d{6}$/.test(normalized)
      ? useTotpCode(ports, store, user, factor, normalized)
      : useRecoveryCode(ports, store, user, normalized);
  });
  // Thrown here, so that a wrong code is counted.
  if (refusal === undefined) return;
  throw new RegistryError('UNAUTHORIZED', refusal, {
    problems: [{ path: '/totpCode', message: refusal }],
  });
}

/** The reason why the code is refused. */
async function useTotpCode(
  ports: Ports,
  store: Store,
  user: User,
  factor: SecondFactor,
  code: string,
): Promise<string | undefined> {
  const now = ports.clock();
  if (factor.blockedUntil !== null && now < factor.blockedUntil) {
    return 'Too many wrong codes. Use a recovery code, or try again in 15 minutes.';
  }
  const step = ports.totp.findStep(factor, code, now);
  if (step !== undefined && step > factor.lastStep) {
    await store.secondFactors.recordStep(user.id, step);
    return undefined;
  }
  // Until a right code is entered, each further wrong one blocks again.
  const failures = factor.failures + 1;
  const isBlocked = failures >= MAX_FAILURES;
  await store.secondFactors.recordFailure(user.id, isBlocked ? new Date(now.getTime() + BLOCK_MS) : undefined);
  if (failures % MAX_FAILURES === 0) await notifyUser(ports, store, user, 'codes-blocked');
  return step === undefined ? 'Wrong code.' : 'This code has been used. Wait for the next one.';
}

async function useRecoveryCode(ports: Ports, store: Store, user: User, code: string): Promise<string | undefined> {
  if (!(await store.secondFactors.takeRecoveryCode(user.id, hashRecoveryCode(code)))) return 'Wrong code.';
  await notifyUser(ports, store, user, 'recovery-code-used');
  return undefined;
}

/** The form that is compared: users type codes with spaces, in capitals, and with letters that look like digits. */
function normalizeCode(code: string): string {
  return code.normalize('NFKC').toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1');
}

function createRecoveryCode(): string {
  const characters = Array.from({ length: RECOVERY_CODE_LENGTH }, () => recoveryAlphabet[randomInt(32)]);
  return characters.join('').replace(/.{4}(?=.)/g, '$&-');
}

function hashRecoveryCode(code: string): Uint8Array {
  return createHash('sha256').update(normalizeCode(code)).digest();
}

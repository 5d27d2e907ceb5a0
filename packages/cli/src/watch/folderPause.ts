// Why nothing of a watched folder is registered at the moment, and when that is tried again.

import type { Pause } from './state.js';

export class FolderPause {
  #current: Pause | undefined;

  constructor(private readonly log: (message: string) => void) {}

  get current(): Pause | undefined {
    return this.#current;
  }

  isActive(): boolean {
    return this.#current !== undefined && Date.parse(this.#current.retryAt ?? '') > Date.now();
  }

  /** Logs each reason once. */
  start(code: Pause['code'], message: string, retryAtMs: number): void {
    const known = this.#current?.code === code && this.#current.message === message ? this.#current : undefined;
    if (!known) this.log(message);
    const since = known?.since ?? new Date().toISOString();
    this.#current = { code, message, since, retryAt: new Date(retryAtMs).toISOString() };
  }

  /** Has no effect for a pause with another code. */
  end(...codes: readonly Pause['code'][]): void {
    if (!this.#current || !codes.includes(this.#current.code)) return;
    this.log('continuing.');
    this.#current = undefined;
  }

  /** Makes the next attempt due at once. Under a Mark that was refused, that needs new settings. */
  retrySoon({ hasNewSettings }: { readonly hasNewSettings: boolean }): void {
    if (!this.#current || (this.#current.code === 'mark' && !hasNewSettings)) return;
    this.#current = { ...this.#current, retryAt: new Date().toISOString() };
  }
}

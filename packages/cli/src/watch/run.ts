// `watch run`: one process that watches all folders of a profile until it is stopped. It follows changes of the
// configuration, so that folders and a new login need no restart.

import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { limitConcurrency } from '@provenance-registry/core';
import { configPath, readProfile } from '../configFile.js';
import type { WatchedFolder as WatchedFolderSettings } from '../configSchema.js';
import type { Context } from '../context.js';
import type { Settings } from '../settings.js';
import { text } from '../text.js';
import { toCommandError } from '../toCommandError.js';
import { type Connection, createConnection } from './connection.js';
import { lockWatcher, readWatcherState, StateReporter, type WatcherState } from './state.js';
import { createTimeJumpDetector } from './timeJump.js';
import { WatchedFolder } from './watchedFolder.js';

const TICK_MS = 1000;
/** Folders that register files at the same time. The others look for changes meanwhile. */
const PARALLEL_SESSIONS = 4;

interface RunningFolder {
  readonly watched: WatchedFolder;
  /** Text by which a change of the settings is recognized. */
  readonly settingsText: string;
  readonly end: Promise<void>;
}

export async function runWatcher(context: Context): Promise<void> {
  const { env } = context;
  const settings = await context.loadSettings();
  const profile = settings.profile.value;
  const releaseLock = await lockWatcher(env, profile);
  try {
    await new Watcher(context, profile, await readWatcherState(env, profile), settings).run();
  } finally {
    await releaseLock();
  }
}

class Watcher {
  readonly #startedAt = new Date().toISOString();
  readonly #connection: Connection;
  readonly #reporter: StateReporter;
  readonly #limitSessions = limitConcurrency(PARALLEL_SESSIONS, Number.POSITIVE_INFINITY, () => new Error('unlimited'));
  readonly #running = new Map<string, RunningFolder>();
  readonly #hasTimeJumped = createTimeJumpDetector(TICK_MS);
  readonly #log = (message: string) => this.context.printNote(text`${message}`);
  #folderNames: readonly string[] = [];
  #configVersion: string | undefined;

  constructor(
    private readonly context: Context,
    private readonly profile: string,
    private readonly before: WatcherState | undefined,
    private settings: Settings,
  ) {
    // A stop does not abort requests, so that pending ones finish.
    const requestContext = { ...context, signal: new AbortController().signal };
    this.#connection = createConnection(requestContext, this.#log, () => this.#wakeAll());
    this.#reporter = new StateReporter(context.env, profile, this.#log);
  }

  /** Resolves after the signal of the context, when all folders have stopped. */
  async run(): Promise<void> {
    const { signal } = this.context;
    while (!signal.aborted) {
      await this.#followConfiguration();
      if (this.#hasTimeJumped()) this.#retrySoon({ hasNewSettings: false });
      await this.#reporter.report(this.#currentState());
      await delay(TICK_MS, undefined, { signal }).catch(() => {});
    }
    for (const { watched } of this.#running.values()) watched.stop();
    await Promise.all([...this.#running.values()].map(({ end }) => end));
    await this.#reporter.report(this.#currentState());
    this.context.printResult({ profile: this.profile, status: 'stopped' }, text`Stopped.`);
  }

  #wakeAll(): void {
    for (const { watched } of this.#running.values()) watched.wake();
  }

  #retrySoon(reason: { readonly hasNewSettings: boolean }): void {
    this.#connection.retrySoon(reason);
    for (const { watched } of this.#running.values()) watched.retrySoon(reason);
  }

  /** Keeps what it has while the configuration cannot be read. */
  async #followConfiguration(): Promise<void> {
    const path = configPath(this.context.env);
    const version = await readVersion(path);
    if (version === this.#configVersion) return;
    const isFirst = this.#configVersion === undefined;
    this.#configVersion = version;
    try {
      if (!isFirst) await this.#reloadSettings();
      const { watchedFolders = {} } = await readProfile(this.context.env, this.profile);
      await this.#updateFolders(watchedFolders);
    } catch (error) {
      if (isFirst) throw error;
      this.#log(`The configuration was not read again: ${(await toCommandError(error)).message}`);
    }
  }

  async #reloadSettings(): Promise<void> {
    const earlier = this.settings;
    this.settings = await this.context.reloadSettings();
    if (connectionText(earlier) === connectionText(this.settings)) return;
    this.#log('The settings of the connection have changed.');
    // Journals belong to one service.
    if (earlier.url.value !== this.settings.url.value) await this.#updateFolders({});
    this.#retrySoon({ hasNewSettings: true });
  }

  async #updateFolders(folders: Readonly<Record<string, WatchedFolderSettings>>): Promise<void> {
    this.#folderNames = Object.keys(folders);
    for (const [folder, { watched, settingsText, end }] of this.#running) {
      if (JSON.stringify(folders[folder]) === settingsText) continue;
      watched.stop();
      await end;
      this.#running.delete(folder);
      this.#log(`No longer watching ${folder}${folders[folder] ? ' with its earlier settings' : ''}`);
    }
    for (const [folder, folderSettings] of Object.entries(folders)) {
      if (!this.#running.has(folder)) this.#startFolder(folder, folderSettings);
    }
    if (this.#running.size === 0) this.#log("No folders to watch. Add one with 'provenance watch add FOLDER'.");
  }

  #startFolder(folder: string, folderSettings: WatchedFolderSettings): void {
    const watched = new WatchedFolder({
      folder,
      settings: folderSettings,
      url: this.settings.url.value,
      env: this.context.env,
      connection: this.#connection,
      allFolders: () => this.#folderNames,
      journals: () => [...this.#running.values()].flatMap((one) => one.watched.journal() ?? []),
      limitSessions: this.#limitSessions,
      log: this.#log,
      lastRegistration: this.before?.folders.find((one) => one.folder === folder)?.lastRegistration ?? null,
    });
    this.#log(`Watching ${folder} (Mark ${folderSettings.mark})`);
    this.#running.set(folder, { watched, settingsText: JSON.stringify(folderSettings), end: watched.run() });
  }

  #currentState(): WatcherState {
    return {
      pid: process.pid,
      startedAt: this.#startedAt,
      reportedAt: new Date().toISOString(),
      pause: this.#connection.pause() ?? null,
      loginExpiresAt: this.settings.tokenExpiresAt ?? null,
      folders: [...this.#running.values()].map(({ watched }) => watched.state()),
    };
  }
}

function connectionText({ url, token, tokenExpiresAt }: Settings): string {
  return JSON.stringify([url.value, token?.value, tokenExpiresAt]);
}

/** Changes with every change of the file. */
async function readVersion(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats ? `${stats.ino}:${stats.mtimeNs}:${stats.size}` : 'missing';
}

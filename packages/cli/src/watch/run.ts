// `service run`: one process that watches all folders of a profile until it is stopped. It follows changes of the
// configuration, so that folders and a new login need no restart.

import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { limitConcurrency } from '@provenance-registry/core';
import { configPath, readConfig } from '../configFile.js';
import type { WatchedFolder as WatchedFolderSettings } from '../configSchema.js';
import type { Context } from '../context.js';
import type { Settings } from '../settings.js';
import { text } from '../text.js';
import { toCommandError } from '../toCommandError.js';
import { createConnection } from './connection.js';
import { HEARTBEAT_MS, lockService, readServiceState, type ServiceState, writeServiceState } from './state.js';
import { createTimeJumpDetector } from './timeJump.js';
import { createWatchedFolder, type WatchedFolder } from './watchedFolder.js';

const TICK_MS = 1000;
/** Folders that register files at the same time. The others look for changes meanwhile. */
const PARALLEL_SESSIONS = 4;

interface RunningFolder {
  readonly watched: WatchedFolder;
  /** Text by which a change of the settings is recognized. */
  readonly settingsText: string;
  readonly end: Promise<void>;
}

export async function runService(context: Context): Promise<void> {
  const { env } = context;
  const { profile } = await context.loadSettings();
  const releaseLock = await lockService(env, profile.value);
  try {
    await watchFolders(context, profile.value);
  } finally {
    await releaseLock();
  }
}

async function watchFolders(context: Context, profile: string): Promise<void> {
  const { env, signal } = context;
  const log = (message: string) => context.printNote(text`${message}`);
  const before = await readServiceState(env, profile);
  const startedAt = new Date().toISOString();
  // A stop does not abort requests, so that pending ones finish.
  const connection = createConnection({ ...context, signal: new AbortController().signal }, log, wakeAll);
  const limitSessions = limitConcurrency(PARALLEL_SESSIONS, Number.POSITIVE_INFINITY, () => new Error('unlimited'));
  const running = new Map<string, RunningFolder>();
  const hasTimeJumped = createTimeJumpDetector(TICK_MS);
  let settings = await context.loadSettings();
  let folderNames: readonly string[] = [];
  let configVersion: string | undefined;
  let written = { content: '', atMs: Number.NEGATIVE_INFINITY };

  function wakeAll(): void {
    for (const { watched } of running.values()) watched.wake();
  }

  function retrySoon(reason: { readonly hasNewSettings: boolean }): void {
    connection.retrySoon(reason);
    for (const { watched } of running.values()) watched.retrySoon(reason);
  }

  /** Keeps what it has while the configuration cannot be read. */
  async function followConfiguration(): Promise<void> {
    const version = await readVersion(configPath(env));
    if (version === configVersion) return;
    const isFirst = configVersion === undefined;
    configVersion = version;
    try {
      if (!isFirst) await reloadSettings();
      const { config } = await readConfig(configPath(env));
      await updateFolders(config.profiles[profile]?.watchedFolders ?? {});
    } catch (error) {
      if (isFirst) throw error;
      log(`The configuration was not read again: ${(await toCommandError(error)).message}`);
    }
  }

  async function reloadSettings(): Promise<void> {
    const earlier = settings;
    settings = await context.reloadSettings();
    if (connectionText(earlier) === connectionText(settings)) return;
    log('The settings of the connection have changed.');
    // Journals belong to one service.
    if (earlier.url.value !== settings.url.value) await updateFolders({});
    retrySoon({ hasNewSettings: true });
  }

  async function updateFolders(folders: Readonly<Record<string, WatchedFolderSettings>>): Promise<void> {
    folderNames = Object.keys(folders);
    for (const [folder, { watched, settingsText, end }] of running) {
      if (JSON.stringify(folders[folder]) === settingsText) continue;
      watched.stop();
      await end;
      running.delete(folder);
      log(`No longer watching ${folder}${folders[folder] ? ' with its earlier settings' : ''}`);
    }
    for (const [folder, folderSettings] of Object.entries(folders)) {
      if (!running.has(folder)) startFolder(folder, folderSettings);
    }
    if (running.size === 0) log("No folders to watch. Add one with 'provenance service add FOLDER'.");
  }

  function startFolder(folder: string, folderSettings: WatchedFolderSettings): void {
    const watched = createWatchedFolder({
      folder,
      settings: folderSettings,
      url: settings.url.value,
      env,
      connection,
      allFolders: () => folderNames,
      journals: () => [...running.values()].flatMap((one) => one.watched.journal() ?? []),
      limitSessions,
      log,
      lastRegistration: before?.folders.find((one) => one.folder === folder)?.lastRegistration ?? null,
    });
    log(`Watching ${folder} (Mark ${folderSettings.mark})`);
    running.set(folder, { watched, settingsText: JSON.stringify(folderSettings), end: watched.run() });
  }

  function currentState(): ServiceState {
    return {
      pid: process.pid,
      startedAt,
      reportedAt: new Date().toISOString(),
      pause: connection.pause() ?? null,
      loginExpiresAt: settings.tokenExpiresAt ?? null,
      folders: [...running.values()].map(({ watched }) => watched.state()),
    };
  }

  /** When something has changed, and from time to time. */
  async function reportState(): Promise<void> {
    const state = currentState();
    const content = JSON.stringify({ ...state, reportedAt: '' });
    if (content === written.content && performance.now() - written.atMs < HEARTBEAT_MS) return;
    try {
      await writeServiceState(env, profile, state);
      written = { content, atMs: performance.now() };
    } catch (error) {
      // Registrations go on; the next heartbeat tries again.
      if (written.atMs >= 0) log(`The state was not saved: ${(await toCommandError(error)).message}`);
      written = { content, atMs: performance.now() };
    }
  }

  while (!signal.aborted) {
    await followConfiguration();
    if (hasTimeJumped()) retrySoon({ hasNewSettings: false });
    await reportState();
    await delay(TICK_MS, undefined, { signal }).catch(() => {});
  }
  for (const { watched } of running.values()) watched.stop();
  await Promise.all([...running.values()].map(({ end }) => end));
  await reportState();
  context.printResult({ profile, status: 'stopped' }, text`Stopped.`);
}

function connectionText({ url, token, tokenExpiresAt }: Settings): string {
  return JSON.stringify([url.value, token?.value, tokenExpiresAt]);
}

/** Changes with every change of the file. */
async function readVersion(path: string): Promise<string> {
  const stats = await stat(path, { bigint: true }).catch(() => undefined);
  return stats ? `${stats.ino}:${stats.mtimeNs}:${stats.size}` : 'missing';
}

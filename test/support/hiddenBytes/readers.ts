// The readers of manifests in files: the SDK's and the service's, which run until the test file ends.

import { afterAll, expect } from 'vitest';
import { readEmbeddedManifest } from '../../../packages/client/src/index.js';
import { createManifestInspector } from '../../../packages/server/src/c2pa/reading/manifestInspector.js';
import type { HidingPlaces } from './hidingPlaces.js';
import type { SignedFile } from './signedFiles.js';

interface ReadResult {
  readonly state: string;
  /** Codes of the SDK. */
  readonly failures: readonly string[];
  /** Whether the service takes the file for a copy that it signed. */
  readonly isOwn: boolean;
}

/** To the service, every signer is its own. */
export function createReaders(trustAnchorsPem: string) {
  const inspector = createManifestInspector({ trustAnchorsPem, isOwnCertificate: async () => true });
  const table = { cells: 0, accepted: 0 };
  afterAll(async () => {
    process.stdout.write(`hidden bytes: ${table.cells} changes, ${table.accepted} accepted\n`);
    await inspector.close();
  });

  async function read(bytes: Uint8Array, mediaType: string): Promise<ReadResult> {
    const embedded = await readEmbeddedManifest(bytes, { trustAnchorsPem });
    const inspected = await inspector.inspect({ client: 'test', mediaType, bytes });
    return {
      state: embedded?.state ?? 'none',
      failures: embedded?.failures ?? [],
      isOwn: inspected?.ownFingerprint !== undefined,
    };
  }

  return {
    /** Both accept the file as it was signed. The service does not read all types, and hashes no parts in its own files. */
    async expectIntact({ name, bytes, mediaType, signer }: SignedFile): Promise<void> {
      const isOwn = signer !== 'parts' && !['audio/flac', 'application/pdf', 'image/jxl'].includes(mediaType);
      expect([name, await read(bytes, mediaType)]).toEqual([name, { state: 'intact', failures: [], isOwn }]);
    },

    /** @returns how many of the changed files were refused by a code of the registry alone, and not by one of c2pa-rs */
    async countRefused(file: SignedFile, places: HidingPlaces): Promise<number> {
      const { accepted, count, changes } = await readChanged(file, places);
      table.cells += changes;
      table.accepted += accepted.length;
      expect([file.name, accepted]).toEqual([file.name, []]);
      return count;
    },

    /** @returns the places in which a change is not noticed */
    async listAccepted(file: SignedFile, places: HidingPlaces): Promise<string[]> {
      return (await readChanged(file, places)).accepted;
    },
  };

  async function readChanged(file: SignedFile, places: HidingPlaces) {
    const accepted: string[] = [];
    let [changes, count] = [0, 0];
    for (const [place, change] of Object.entries(places)) {
      const bytes = change(file);
      // Where there is nothing to move.
      if (bytes.equals(file.bytes)) continue;
      changes += 1;
      const { state, failures, isOwn } = await read(bytes, file.mediaType);
      if (state === 'intact' || isOwn) accepted.push(place);
      if (failures.length > 0 && failures.every((code) => code.startsWith('com.service.'))) count += 1;
    }
    return { accepted, count, changes };
  }
}

// Has c2pa-rs read each manifest once, whatever else is verified with it.

import { WasmReader } from '@contentauth/c2pa-wasm';
import { beforeEach, vi } from 'vitest';

/** The same bytes with the same settings give the same reading, so c2pa-rs reads them once. */
const readings = new Map<string, Promise<Pick<WasmReader, 'json' | 'crJson'>>>();
const readBytes = WasmReader.fromBytes.bind(WasmReader);

async function readOnce(...input: Parameters<typeof readBytes>) {
  const reader = await readBytes(...input);
  const [json, crJson] = [reader.json(), reader.crJson()];
  reader.free();
  return { json: () => json, crJson: () => crJson };
}

/** For all tests of a file. */
export function readManifestsOnce(): void {
  beforeEach(() => {
    vi.spyOn(WasmReader, 'fromBytes').mockImplementation(async (...input) => {
      const [format, bytes, settings] = input;
      const key = [format, Buffer.from(bytes).toString('base64'), settings].join(' ');
      const reading = readings.get(key) ?? readOnce(...input);
      readings.set(key, reading);
      // The rest of the class is not used.
      return { ...(await reading), free: () => {} } as WasmReader;
    });
  });
}

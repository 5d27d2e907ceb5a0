import { expect, it } from 'vitest';
import { publishAll } from './creation.js';

it('A creation that cannot publish one file is not over before the others have arrived: they are to be taken back', async () => {
  const arrived: string[] = [];
  let arrive = () => {};
  const files = {
    publish: async (name: string) => {
      if (name === 'id.json') throw new Error('no room');
      await new Promise<void>((resolve) => {
        arrive = resolve;
      });
      arrived.push(name);
    },
  };
  const publishing = publishAll(files, 'id', { c2pa: new Uint8Array(), json: new Uint8Array() });
  const over = publishing.catch((error: Error) => [error.message, ...arrived]);
  setImmediate(() => arrive());
  expect(await over).toEqual(['no room', 'id.c2pa']);
});

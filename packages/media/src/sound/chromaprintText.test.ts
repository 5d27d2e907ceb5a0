// Reading Chromaprints: the items that the library gives, and malformed text.

import { describe, expect, it } from 'vitest';
import { chirp, melody, noise, randomNumbers, wav } from '../../../server/test/support/sounds.js';
import { fingerprint } from '../node/fingerprint.js';
import { decodeChromaprint } from './chromaprintText.js';

describe('decodeChromaprint', () => {
  it.each([
    ['a melody', melody(20)],
    ['a rising tone', chirp(9)],
    ['noise, whose items change in many bits', noise(15, 1)],
    ['silence', new Float64Array(16_000 * 5)],
  ])('reads the items that the library has for %s', async (_, wave) => {
    const computed = await fingerprint(wav(wave, 's16'));
    expect(computed?.items.length).toBeGreaterThan(10);
    expect(decodeChromaprint(computed?.text ?? '')).toEqual(computed?.items);
  });

  it.each([
    ['is empty', ''],
    ['has no header', 'AQA'],
    ['is of another algorithm', 'AgAAAQ'],
    ['promises more items than it has', `AQAP${'A'.repeat(100)}`],
    ['is not base64', 'AQAAAQ==😀'],
    // One item, whose distances are 7 + 31.
    ['has bits beyond the 32nd', Buffer.from([1, 0, 0, 1, 0b111, 0b11111]).toString('base64url')],
    // One item with a distance of at least 7, without the excess.
    ['ends before the excess', Buffer.from([1, 0, 0, 1, 0b111]).toString('base64url')],
  ])('refuses text that %s', (_, text) => {
    expect(decodeChromaprint(text)).toBeUndefined();
  });

  it('never throws, wherever a text is changed or cut, and gives as many items as the text says', async () => {
    const text = (await fingerprint(wav(melody(30), 's16')))?.text ?? '';
    const random = randomNumbers(23);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_ =é';
    let refused = 0;
    for (let round = 0; round < 2_000; round += 1) {
      const characters = [...text.slice(0, round % 3 === 0 ? Math.floor(random() * text.length) : undefined)];
      for (let change = 0; change < 1 + (round % 5); change += 1) {
        characters[Math.floor(random() * characters.length)] = alphabet[Math.floor(random() * alphabet.length)] ?? '';
      }
      const changed = characters.join('');
      const items = decodeChromaprint(changed);
      if (items) expect(items.length).toBe(Buffer.from(changed, 'base64url').readUIntBE(1, 3));
      else refused += 1;
    }
    expect(refused).toBeGreaterThan(500);
  });

  it('reads the longest text that requests may have', () => {
    // 16,383 items, each like the one before: the most that the text may promise.
    const items = decodeChromaprint(`AQA___${'A'.repeat(32_762)}`);
    expect(items?.length).toBe(0xffff >> 2);
  });
});

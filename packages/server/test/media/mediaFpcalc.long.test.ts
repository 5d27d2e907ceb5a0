// Audio that only the `fpcalc` program reads: with the real program and with a misbehaving one.

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeChromaprint } from '@provenance-registry/media';
import { fingerprint } from '@provenance-registry/media/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMedia } from '../../src/media/index.js';
import { moveIndexToFront } from '../../src/media/mp4Index.js';
import { MAX_BIT_DIFFERENCE, shareOfDifferentBits } from '../support/fingerprints.js';
import { moveIndexToEnd, mp4Box } from '../support/mp4.js';
import { aiff, chirp, encodedMelody, flac, melody, randomNumbers, type Wave, wav } from '../support/sounds.js';

// On a busy machine, the limit is that of CPU time alone.
const media = createMedia({ jobTimeoutMs: 120_000 });
const misbehaving = fileURLToPath(new URL('../support/misbehavingFpcalc.sh', import.meta.url));
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fpcalc-'));
});
afterAll(async () => {
  await media.close();
  await rm(folder, { recursive: true });
});

const none = { kind: 'audio', mediaType: 'audio/aiff' };
const some = { ...none, chromaprint: 'AQADtEokySmT4PCJF8_DIPk25GEPn_izCBd' };

async function chromaprint(bytes: Uint8Array): Promise<string | undefined> {
  return (await media.inspect(bytes, undefined)).chromaprint;
}

/** AIFF by its first bytes, with a command for the misbehaving program. */
function told(word: string): Uint8Array {
  return Buffer.from(`FORM${word}`);
}

/** The tag's header announces a footer. FFmpeg skips it; our detection sees AAC, because the footer looks like it. */
function pretendingToBeAac(content: string | Uint8Array): Uint8Array {
  const head = Buffer.from('49443304001000000000', 'hex');
  const foot = Buffer.from('fff15080001ffc000000', 'hex');
  return new Uint8Array(Buffer.concat([head, foot, Buffer.from(content)]));
}

describe('with fpcalc, the fingerprint', () => {
  /** AAC encoders start with so many samples of silence; M4A can state that, ADTS cannot. */
  const late = Float64Array.from([...new Float64Array(1024), ...melody(8)]);

  it.each<[string, Uint8Array, string, Wave]>([
    ['AIFF', aiff(melody(8)), 'audio/aiff', melody(8)],
    ['M4A', encodedMelody('m4a'), 'audio/x-m4a', melody(8)],
    ['AAC', encodedMelody('aac'), 'audio/aac', late],
  ])('of %s is nearly that of the same audio as WAV', async (_, bytes, mediaType, wave) => {
    const facts = await media.inspect(bytes, undefined);
    expect(facts).toEqual({ kind: 'audio', mediaType, chromaprint: expect.stringMatching(/^AQA[\w-]+$/) });
    const expected = await fingerprint(wav(wave, 's16'));
    if (!expected) throw new Error('no fingerprint');
    const items = decodeChromaprint(facts.chromaprint ?? '') ?? new Uint32Array();
    expect(shareOfDifferentBits(items, expected.items)).toBeLessThan(MAX_BIT_DIFFERENCE);
  });

  it('of M4A is the same with the index at its end', async () => {
    const file = moveIndexToEnd(encodedMelody('m4a'));
    const before = Buffer.from(file);
    expect(file.indexOf('moov')).toBeGreaterThan(file.indexOf('mdat'));
    expect(await chromaprint(file)).toBe(await chromaprint(encodedMelody('m4a')));
    expect(file).toEqual(before);
  });

  it.each([
    ['places of 32 bits', (place: number) => mp4Box('stco', 0, 1, place)],
    ['places of 64 bits', (place: number) => mp4Box('co64', 0, 1, 0, place)],
  ])('reads the same bytes after the index of an M4A was moved: %s', (_, table) => {
    const path = (place: number) =>
      ['stbl', 'minf', 'mdia', 'trak', 'moov'].reduce((content, type) => mp4Box(type, content), table(place));
    const [start, end] = [mp4Box('ftyp', Buffer.from('M4A ')), mp4Box('free', Buffer.from('behind'))];
    const data = mp4Box('mdat', Buffer.from('here it is'));
    // In the data, behind the index, and in front of all.
    for (const place of [start.length + 8, start.length + data.length + path(0).length + 8, 4]) {
      const file = Buffer.concat([start, data, path(place), end]);
      const moved = Buffer.concat(moveIndexToFront(file));
      expect(moved.subarray(0, start.length + 8).toString('latin1')).toMatch(/^....ftypM4A ....moov$/s);
      const newPlace = moved.readUInt32BE(start.length + path(0).length - 4);
      expect(moved.subarray(newPlace, newPlace + 4)).toEqual(file.subarray(place, place + 4));
      expect(moveIndexToFront(moved)).toEqual([moved]);
    }
  });

  it('covers the first two minutes', async () => {
    const sound = melody(130);
    const cut = await chromaprint(aiff(sound.subarray(0, sound.length * (120 / 130))));
    expect(cut).toBeDefined();
    expect(await chromaprint(aiff(sound))).toBe(cut);
  });

  it('is missing for audio that is too short', async () => {
    expect(await media.inspect(aiff(chirp(1)), undefined)).toEqual(none);
  });

  it('still comes from our own decoders if they can read the file', async () => {
    const other = createMedia({ fpcalc: misbehaving });
    for (const bytes of [wav(melody(8), 's16'), flac(melody(8)), encodedMelody('mp3')]) {
      expect((await other.inspect(bytes, undefined)).chromaprint).toBe((await fingerprint(bytes))?.text);
    }
    await other.close();
  });
});

describe('a malicious file for fpcalc', () => {
  it('is read only with the demuxer of its detected type', async () => {
    const hidden = pretendingToBeAac(wav(melody(8), 's16'));
    expect(await media.inspect(hidden, undefined)).toEqual({ kind: 'audio', mediaType: 'audio/aac' });
    // The same wrapper around a harmless file is read.
    expect(await chromaprint(pretendingToBeAac(encodedMelody('aac')))).toBeDefined();
  });

  it('cannot make it open an address', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests += 1;
      response.end(encodedMelody('aac'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      const sound = `http://127.0.0.1:${address.port}/sound.aac`;
      const playlist = `#EXTM3U\n#EXT-X-TARGETDURATION:8\n#EXTINF:8,\n${sound}\n#EXT-X-ENDLIST\n`;
      const list = `ffconcat version 1.0\nfile '${sound}'\n`;
      for (const content of [playlist, list]) {
        const facts = await media.inspect(pretendingToBeAac(content), undefined);
        expect(facts).toEqual({ kind: 'audio', mediaType: 'audio/aac' });
      }
      // The stated type counts only if the bytes are inconclusive; such a file is not read at all.
      expect((await media.inspect(Buffer.from(playlist), 'audio/aac')).chromaprint).toBeUndefined();
      expect(requests).toBe(0);
    } finally {
      server.close();
    }
  });

  it('never causes an exception or a hang, wherever it is truncated or changed', async () => {
    const random = randomNumbers(8);
    const m4a = encodedMelody('m4a');
    for (const file of [encodedMelody('aac'), m4a, moveIndexToEnd(m4a, 0), aiff(melody(4))]) {
      for (const share of [0.1, 0.01, 0.001]) {
        const changed = new Uint8Array(file);
        // Not the first bytes, which determine its type; most sizes follow soon after.
        for (let left = Math.ceil(file.length * share); left > 0; left -= 1) {
          const at = 12 + Math.floor(random() * (left % 2 ? file.length - 12 : 600));
          changed[at] = random() * 256;
        }
        expect((await media.inspect(changed, undefined)).kind).toBe('audio');
        expect((await media.inspect(file.subarray(0, 12 + random() * file.length), undefined)).kind).toBe('audio');
      }
    }
    expect(await chromaprint(encodedMelody('m4a'))).toBeDefined();
  });
});

describe('an fpcalc that', () => {
  it('hangs is killed at its time limit, and the file has no hash', async () => {
    // Long enough to start a shell on a busy machine.
    const limited = createMedia({ fpcalc: misbehaving, jobTimeoutMs: 3_000 });
    const note = join(folder, 'hanging');
    execFileSync('mkfifo', [note]);
    const processId = readFile(note, 'utf8');
    const jobs = [`hang ${note}`, 'fine', 'fine'].map((word) => limited.inspect(told(word), undefined));
    expect(await Promise.all(jobs)).toEqual([none, some, some]);
    const pid = Number(await processId);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    await limited.close();
  });

  it.each([
    ['prints nothing', 'rubbish '],
    ['prints rubbish', 'rubbish <script>AQADtEokySmT4PCJ</script>'],
    ['prints rubbish after a fingerprint', `rubbish ${some.chromaprint}\nERROR`],
    ['prints a fingerprint of another algorithm', 'rubbish AgADtEokySmT4PCJF8_DIPk25GEPn_izCBd'],
    ['prints megabytes', 'flood'],
    ['fails', 'fail'],
    ['crashes', 'crash'],
  ])('%s gives no hash, and the next file has one', async (_, word) => {
    const faulty = createMedia({ fpcalc: misbehaving });
    expect(await faulty.inspect(told(word), undefined)).toEqual(none);
    expect(await faulty.inspect(told('fine'), undefined)).toEqual(some);
    await faulty.close();
  });

  it.each([
    ['could read a part of the file gives the hash of that part', 'partly'],
    ['is running has limits to its memory and its computing', 'limited'],
    ['is running knows none of the service’s settings', 'ignorant'],
  ])('%s', async (_, word) => {
    const obedient = createMedia({ fpcalc: misbehaving });
    expect(await obedient.inspect(told(word), undefined)).toEqual(some);
    await obedient.close();
  });

  it('is not installed is not started again, and other files get their hashes', async () => {
    const program = join(folder, 'fpcalc');
    const without = createMedia({ fpcalc: program });
    expect(await without.inspect(told('fine'), undefined)).toEqual(none);
    await copyFile(misbehaving, program);
    expect(await without.inspect(told('fine'), undefined)).toEqual(none);
    expect((await without.inspect(wav(melody(8), 's16'), undefined)).chromaprint).toBeDefined();
    await without.close();

    const next = createMedia({ fpcalc: program });
    expect(await next.inspect(told('fine'), undefined)).toEqual(some);
    await next.close();
  });

  it('is running when the pool closes is killed, and no other is started', async () => {
    // Longer than a test may take: only closing can end it.
    const ended = createMedia({ fpcalc: misbehaving, jobTimeoutMs: 600_000 });
    const note = join(folder, 'ended');
    execFileSync('mkfifo', [note]);
    const underway = ended.inspect(told(`hang ${note}`), undefined);
    const pid = Number(await readFile(note, 'utf8'));
    await ended.close();
    expect(await underway).toEqual(none);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(await ended.inspect(told('fine'), undefined)).toEqual(none);
  });
});

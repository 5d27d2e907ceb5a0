// Music made from numbers, a different piece for each seed, and changes to it as files go through: for the benchmark of
// look-alikes of sound. The same on every machine.

export const RATE = 22_050;

/** Values from -1 to 1. @typedef {Float32Array} Wave */

/** From 0 up to 1. @param {number} seed */
export function createRandom(seed) {
  let state = (Math.imul(seed, 2_654_435_761) ^ 0x9e37_79b9) >>> 0;
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Steps of the scale above the key. */
const scales = [
  [0, 2, 4, 5, 7, 9, 11],
  [0, 2, 3, 5, 7, 8, 10],
  [0, 2, 3, 5, 7, 9, 10],
  [0, 3, 5, 6, 7, 10, 12],
];
/** Degrees on which the chords of four bars stand, as in thousands of songs. */
const progressions = [
  [0, 4, 5, 3],
  [0, 5, 3, 4],
  [0, 3, 4, 4],
  [5, 3, 0, 4],
  [0, 2, 3, 4],
  [1, 4, 0, 0],
];
const TABLE = 2048;

/**
 * Chords, bass, a melody and drums. Sections repeat with variations, as songs do.
 * @param {number} seed
 * @param {number} seconds
 * @returns {Wave}
 */
export function composeTrack(seed, seconds) {
  const random = createRandom(seed);
  const wave = new Float32Array(Math.floor(seconds * RATE));
  const piece = createPiece(random);
  for (let bar = 0; bar * 4 * piece.beat < seconds; bar += 1) {
    addChords(wave, piece, bar);
    addRhythm(wave, piece, bar, random);
    addMelody(wave, piece, bar, random);
  }
  return wave;
}

/** @typedef {ReturnType<typeof createPiece>} Piece */

/** @param {() => number} random */
function createPiece(random) {
  /** @template Item @param {readonly Item[]} items @returns {Item} */
  const choose = (items) => /** @type {Item} */ (items[Math.floor(random() * items.length)]);
  const key = 40 + Math.floor(random() * 12);
  // Most recordings are tuned as a piano is, some a little off.
  const tuning = 1 + (random() - 0.5) * 0.01;
  const scale = choose(scales);
  const sections = [choose(progressions), choose(progressions)];
  return {
    beat: 60 / (70 + random() * 90),
    pad: createInstrument(random),
    lead: createInstrument(random),
    bass: createInstrument(random),
    sections,
    motifs: sections.map(() =>
      Array.from({ length: 8 }, () => ({ step: Math.floor(random() * 8), length: choose([0.5, 1, 1, 2]) })),
    ),
    drums: { kick: random() < 0.7, hat: random() < 0.7, level: random() * 0.25 },
    isArpeggio: random() < 0.4,
    pitch: (/** @type {number} */ degree) =>
      tuning * 440 * 2 ** ((key + 12 * Math.floor(degree / 7) + (scale[((degree % 7) + 7) % 7] ?? 0) - 69) / 12),
  };
}

/** The second section comes after twice the first. @param {number} bar */
const sectionOf = (bar) => (Math.floor(bar / 8) % 3 === 2 ? 1 : 0);
/** @param {Piece} piece @param {number} bar */
const rootOf = ({ sections }, bar) => sections[sectionOf(bar)]?.[bar % 4] ?? 0;

/** @param {Wave} wave @param {Piece} piece @param {number} bar */
function addChords(wave, piece, bar) {
  const { beat, pad, pitch, isArpeggio } = piece;
  const notes = isArpeggio ? 8 : 1;
  for (const [voice, degree] of [0, 2, 4].entries()) {
    for (let note = isArpeggio ? voice : 0; note < notes; note += 3) {
      const at = (bar + note / notes) * 4 * beat;
      addNote(wave, pad, pitch(rootOf(piece, bar) + degree + 7), at, (4 * beat) / notes, 0.11);
    }
  }
}

/** @param {Wave} wave @param {Piece} piece @param {number} bar @param {() => number} random */
function addRhythm(wave, piece, bar, random) {
  const { beat, bass, drums, pitch } = piece;
  for (let quarter = 0; quarter < 4; quarter += 1) {
    const at = (bar * 4 + quarter) * beat;
    const isStrong = quarter % 2 === 0;
    if (isStrong || random() < 0.4) addNote(wave, bass, pitch(rootOf(piece, bar) - 7), at, beat, 0.2);
    if (drums.kick && isStrong) addHit(wave, random, at, 0.09, drums.level * 1.5, 60);
    if (drums.hat) addHit(wave, random, at + beat / 2, 0.04, drums.level, 0);
  }
}

/** With variations: singers do not repeat themselves exactly. */
/** @param {Wave} wave @param {Piece} piece @param {number} bar @param {() => number} random */
function addMelody(wave, piece, bar, random) {
  const { beat, lead, motifs, pitch } = piece;
  let at = 0;
  for (const { step, length } of motifs[sectionOf(bar)] ?? []) {
    if (at >= 4) break;
    const variation = random() < 0.25 ? Math.floor(random() * 5) - 2 : 0;
    const degree = rootOf(piece, bar) + step + 14 + variation;
    if (random() < 0.9) addNote(wave, lead, pitch(degree), (bar * 4 + at) * beat, length * beat, 0.22);
    at += length;
  }
}

/** @typedef {{ table: Float32Array, attack: number, decay: number, vibrato: number }} Instrument */

/** One period, with overtones. @param {() => number} random @returns {Instrument} */
function createInstrument(random) {
  const table = new Float32Array(TABLE);
  const fall = 0.8 + random() * 1.5;
  for (let overtone = 1; overtone <= 8; overtone += 1) {
    const level = (0.3 + 0.7 * random()) / overtone ** fall;
    for (let at = 0; at < TABLE; at += 1)
      table[at] = (table[at] ?? 0) + level * Math.sin((2 * Math.PI * overtone * at) / TABLE);
  }
  return { table, attack: 0.005 + random() * 0.1, decay: 0.3 + random() * 3, vibrato: random() * 0.006 };
}

/**
 * @param {Wave} wave
 * @param {Instrument} instrument
 * @param {number} frequency
 * @param {number} start
 * @param {number} length
 * @param {number} level
 */
function addNote(wave, { table, attack, decay, vibrato }, frequency, start, length, level) {
  const first = Math.floor(start * RATE);
  const count = Math.min(Math.floor(length * RATE), wave.length - first);
  const step = (frequency * TABLE) / RATE;
  const release = Math.floor(0.03 * RATE);
  let phase = 0;
  let envelope = 1;
  const fade = Math.exp(-1 / (decay * RATE));
  for (let at = 0; at < count; at += 1) {
    const rise = Math.min(1, at / (attack * RATE), (count - at) / release);
    envelope *= fade;
    wave[first + at] = (wave[first + at] ?? 0) + level * rise * envelope * (table[phase & (TABLE - 1)] ?? 0);
    phase += step * (1 + vibrato * Math.sin(at * 0.0016));
  }
}

/**
 * A drum: noise, or a falling tone.
 * @param {Wave} wave
 * @param {() => number} random
 * @param {number} start
 * @param {number} length
 * @param {number} level
 * @param {number} tone in Hz; 0 for noise
 */
function addHit(wave, random, start, length, level, tone) {
  const first = Math.floor(start * RATE);
  const count = Math.min(Math.floor(length * RATE), wave.length - first);
  for (let at = 0; at < count; at += 1) {
    const value = tone === 0 ? random() * 2 - 1 : Math.sin((2 * Math.PI * tone * at) / RATE);
    wave[first + at] = (wave[first + at] ?? 0) + level * (1 - at / count) * value;
  }
}

/** Played faster, and so higher: 1.01 is 1 %. @param {Wave} wave @param {number} speed @returns {Wave} */
export function changeSpeed(wave, speed) {
  return Float32Array.from({ length: Math.floor(wave.length / speed) - 1 }, (_, index) => {
    const at = index * speed;
    const low = Math.floor(at);
    const share = at - low;
    return (wave[low] ?? 0) * (1 - share) + (wave[low + 1] ?? 0) * share;
  });
}

/** White noise, so many decibels below the sound. @param {Wave} wave @param {number} decibels @param {number} seed */
export function addNoise(wave, decibels, seed) {
  const random = createRandom(seed);
  const power = wave.reduce((sum, value) => sum + value * value, 0) / wave.length;
  // Uniform from -1 to 1 has a power of a third.
  const level = Math.sqrt(3 * power * 10 ** (-decibels / 10));
  return wave.map((value) => value + level * (random() * 2 - 1));
}

/** @param {Wave} wave @param {number} start @param {number} seconds */
export function excerpt(wave, start, seconds) {
  return wave.subarray(Math.floor(start * RATE), Math.floor((start + seconds) * RATE));
}

/** 16 bits, one channel; scaled so that nothing is clipped. @param {Wave} wave @returns {Uint8Array} */
export function toWav(wave) {
  const peak = wave.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
  const file = Buffer.alloc(44 + wave.length * 2);
  file.write('RIFF');
  file.writeUInt32LE(file.length - 8, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(RATE, 24);
  file.writeUInt32LE(RATE * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(wave.length * 2, 40);
  for (let index = 0; index < wave.length; index += 1)
    file.writeInt16LE(Math.round(((wave[index] ?? 0) / peak) * 0.9 * 32_767), 44 + index * 2);
  return file;
}

// Pictures with enough in them to be compared, their edited copies, and a recording.

import sharp, { type Sharp } from 'sharp';

/** Different numbers give different pictures. */
export function drawPicture(number: number): Promise<Buffer> {
  let state = number * 7919 + 1;
  const random = (max: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.round((state / 2 ** 31) * max);
  };
  const shapes = Array.from(
    { length: 14 },
    () =>
      `<ellipse cx="${random(600)}" cy="${random(400)}" rx="${40 + random(120)}" ry="${30 + random(90)}" fill="hsl(${random(360)} 70% ${random(100)}%)"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><rect width="600" height="400" fill="#8899aa"/>${shapes.join('')}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 92 }).toBuffer();
}

/** As messengers send it. */
export function copyPicture(picture: Buffer, edit: (image: Sharp) => Sharp = (image) => image): Promise<Buffer> {
  return edit(sharp(picture)).resize(420).jpeg({ quality: 55 }).toBuffer();
}

/** Of one color. */
export function flatPicture(): Promise<Buffer> {
  return sharp({ create: { width: 90, height: 60, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
}

/** A WAV file of notes that `number` chooses. */
export function playRecording(number: number, seconds = 25): Buffer {
  const rate = 11_025;
  const samples = new Int16Array(seconds * rate);
  for (let at = 0; at < samples.length; at += 1) {
    const note = Math.floor(at / (rate / 3));
    const pitch = 220 * 2 ** (((note * (number + 3) * 7) % 24) / 12);
    samples[at] =
      9000 * Math.sin((2 * Math.PI * pitch * at) / rate) + 4000 * Math.sin((4.02 * Math.PI * pitch * at) / rate);
  }
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8);
  for (const [value, at, size] of [
    [16, 16, 4],
    [1, 20, 2],
    [1, 22, 2],
    [rate, 24, 4],
    [rate * 2, 28, 4],
    [2, 32, 2],
    [16, 34, 2],
  ] as const) {
    header.writeUIntLE(value, at, size);
  }
  header.write('data', 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, Buffer.from(samples.buffer)]);
}

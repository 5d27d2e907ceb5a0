// Pictures with enough in them to be compared, and their edited copies.

import sharp, { type Sharp } from 'sharp';

const [WIDTH, HEIGHT, SHAPES] = [600, 400, 14];

/** Different numbers give different pictures. Drawn pixel by pixel: decoders under test block SVG in this process. */
export function drawPicture(number: number): Promise<Buffer> {
  let state = number * 7919 + 1;
  const random = (max: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.round((state / 2 ** 31) * max);
  };
  const ellipses = Array.from({ length: SHAPES }, () => ({
    x: random(WIDTH),
    y: random(HEIGHT),
    width: 40 + random(120),
    height: 30 + random(90),
    color: [random(255), random(255), random(255)],
  }));
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3, 0x99);
  for (const ellipse of ellipses) {
    for (let y = 0; y < HEIGHT; y += 1) {
      for (let x = 0; x < WIDTH; x += 1) {
        const isInside = ((x - ellipse.x) / ellipse.width) ** 2 + ((y - ellipse.y) / ellipse.height) ** 2 <= 1;
        if (isInside) pixels.set(ellipse.color, (y * WIDTH + x) * 3);
      }
    }
  }
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
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

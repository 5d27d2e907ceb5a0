// Pictures with enough in them to be compared, and their edited copies.

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

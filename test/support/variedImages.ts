// Images of many formats and kinds, small and quick to make: to compare who computes which codes of them.

import sharp, { type Sharp } from 'sharp';
import { draw, encodedPictures, type Picture } from '../../packages/server/test/support/pictures.js';

export interface VariedImage {
  /** Says what is special about it. */
  readonly name: string;
  readonly bytes: Buffer;
}

const sizes = [
  [96, 64],
  [75, 111],
  [160, 160],
  [33, 200],
] as const;

/** Makes at least 200 images. Those of one pixel or color have no perceptual hashes. */
export async function makeVariedImages(): Promise<VariedImage[]> {
  const made = [
    ...formats(),
    ...orientations(),
    ...transparent(),
    ...inks(),
    ...deep(),
    ...animations(),
    ...palettes(),
    ...unusual(),
  ].map(async ([name, image]) => ({ name, bytes: await image.toBuffer() }));
  return [
    ...(await Promise.all(made)),
    ...encodedPictures.map(({ name, bytes }) => ({ name: `stored ${name}`, bytes })),
  ];
}

type Named = readonly [name: string, image: Sharp];

/** A different picture for each number. */
function picture(seed: number): Picture {
  const [width, height] = sizes[seed % sizes.length] ?? sizes[0];
  return { seed: 100 + seed, width, height, cell: 9 + (seed % 5) * 4 };
}

function formats(): Named[] {
  const encoders: [string, (image: Sharp) => Sharp][] = [
    ['JPEG of quality 90', (image) => image.jpeg({ quality: 90 })],
    ['JPEG of quality 40', (image) => image.jpeg({ quality: 40 })],
    ['JPEG, progressive', (image) => image.jpeg({ progressive: true })],
    ['JPEG with all colors', (image) => image.jpeg({ chromaSubsampling: '4:4:4' })],
    ['JPEG, gray', (image) => image.greyscale().jpeg()],
    ['PNG', (image) => image.png()],
    ['PNG, interlaced', (image) => image.png({ progressive: true })],
    ['PNG, gray', (image) => image.toColourspace('b-w').png()],
    ['WebP', (image) => image.webp({ effort: 0 })],
    ['WebP, lossless', (image) => image.webp({ lossless: true, effort: 0 })],
    ['GIF', (image) => image.gif({ effort: 1 })],
    ['AVIF', (image) => image.avif({ effort: 0 })],
    ['TIFF', (image) => image.tiff({ compression: 'lzw' })],
  ];
  return encoders.flatMap(([name, encode], kind) =>
    sizes.map((_, index): Named => [`${name} ${index}`, encode(draw(picture(kind * sizes.length + index)))]),
  );
}

function orientations(): Named[] {
  return [1, 2, 3, 4, 5, 6, 7, 8].flatMap((orientation): Named[] => {
    const marked = () => draw(picture(orientation)).withMetadata({ orientation });
    return [
      [`JPEG, orientation ${orientation}`, marked().jpeg()],
      [`WebP, orientation ${orientation}`, marked().webp({ effort: 0 })],
      [`PNG, orientation ${orientation}`, marked().png()],
      [`TIFF, orientation ${orientation}`, marked().tiff()],
    ];
  });
}

/** Half transparent everywhere, with holes, and with soft edges. */
const opacities: [string, (x: number, y: number) => number][] = [
  ['half transparent', () => 128],
  ['with holes', (x, y) => ((x >> 4) + (y >> 4)) % 3 && 255],
  ['with soft edges', (x, y) => Math.min(255, x * 9, y * 9)],
];

function transparent(): Named[] {
  return opacities.flatMap(([name, opacity], kind) =>
    [0, 1].flatMap((index): Named[] => {
      const { width, height, ...rest } = picture(kind * 2 + index);
      const alpha = Uint8Array.from({ length: width * height }, (_, at) => opacity(at % width, Math.trunc(at / width)));
      const image = () =>
        draw({ width, height, ...rest }).joinChannel(Buffer.from(alpha), { raw: { width, height, channels: 1 } });
      return [
        [`PNG, ${name} ${index}`, image().png()],
        [`WebP, ${name} ${index}`, image().webp({ effort: 0, exact: true })],
        [`WebP, lossless, ${name} ${index}`, image().webp({ lossless: true, effort: 0, exact: true })],
        [`GIF, ${name} ${index}`, image().gif({ effort: 1 })],
        [`TIFF, ${name} ${index}`, image().tiff()],
        [`AVIF, ${name} ${index}`, image().avif({ effort: 0 })],
      ];
    }),
  );
}

function inks(): Named[] {
  return [0, 1, 2].flatMap((index): Named[] => [
    [`JPEG, CMYK ${index}`, draw(picture(index)).toColourspace('cmyk').jpeg()],
    [`TIFF, CMYK ${index}`, draw(picture(index)).toColourspace('cmyk').tiff()],
  ]);
}

function deep(): Named[] {
  return [0, 1, 2].flatMap((index): Named[] => [
    [`PNG of 16 bits ${index}`, draw(picture(index)).toColourspace('rgb16').png()],
    [`PNG of 16 bits, gray ${index}`, draw(picture(index)).toColourspace('grey16').png()],
    [`TIFF of 16 bits ${index}`, draw(picture(index)).toColourspace('rgb16').tiff()],
  ]);
}

function animations(): Named[] {
  return [0, 1, 2].flatMap((index): Named[] => {
    // Its frames are parts of one tall picture.
    const film = () => {
      const { data, ...raw } = frames(index);
      return sharp(data, { raw });
    };
    return [
      [`GIF, animated ${index}`, film().gif({ effort: 1 })],
      [`WebP, animated ${index}`, film().webp({ effort: 0 })],
    ];
  });
}

function frames(index: number): { data: Uint8Array; width: number; height: number; channels: 3; pageHeight: number } {
  const [width, pageHeight, count] = [64, 48, 3];
  const height = pageHeight * count;
  const data = Uint8Array.from({ length: width * height * 3 }, (_, at) => {
    const [x, y] = [Math.trunc(at / 3) % width, Math.trunc(at / 3 / width)];
    return (
      128 + 127 * Math.sin(((x * (index + 2)) / 23) * (1 + Math.trunc(y / pageHeight)) + (y % pageHeight) / (5 + index))
    );
  });
  return { data, width, height, channels: 3, pageHeight };
}

function palettes(): Named[] {
  return [2, 16, 256].flatMap((colors) =>
    [0, 1].map(
      (index): Named => [`PNG of ${colors} colors ${index}`, draw(picture(index)).png({ palette: true, colors })],
    ),
  );
}

function unusual(): Named[] {
  const flat = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#3070b0' } });
  return [
    ['PNG of one pixel', flat(1, 1).png()],
    ['JPEG of one pixel', flat(1, 1).jpeg()],
    ['PNG of one color', flat(300, 200).png()],
    ['PNG of 2 × 3 pixels', draw({ seed: 1, width: 2, height: 3, cell: 1 }).png()],
    ['PNG of 9 × 9 pixels', draw({ seed: 2, width: 9, height: 9, cell: 2 }).png()],
    ['PNG, wide', draw({ seed: 3, width: 900, height: 12, cell: 40 }).png()],
    ['JPEG, high', draw({ seed: 4, width: 14, height: 700, cell: 31 }).jpeg()],
    ['JPEG of 4 megapixels', large(6, 2000, 2000).jpeg()],
    ['PNG of 5 megapixels', large(7, 2560, 1960).png({ compressionLevel: 1 })],
    ['JPEG of 5 megapixels, orientation 6', large(8, 2560, 1960).withMetadata({ orientation: 6 }).jpeg()],
    ['JPEG with a color profile', draw(picture(9)).withIccProfile('p3').jpeg()],
    ['PNG with a color profile', draw(picture(10)).withIccProfile('p3').png()],
  ];
}

function large(seed: number, width: number, height: number): Sharp {
  return draw({ seed, width: 80, height: 60, cell: 11 }).resize(width, height, { fit: 'fill', kernel: 'nearest' });
}

// Images for the benchmark of look-alikes, drawn from numbers: photos (fractal noise with shapes), logos, charts and pages of
// text. The same in every run.

import sharp from 'sharp';

const WIDTH = 480;
const HEIGHT = 360;

/** @typedef {{ name: string, kind: 'photo' | 'graphic', image: import('sharp').Sharp }} DrawnImage */

/**
 * @param {number} count of which two of three are photos
 * @returns {DrawnImage[]}
 */
export function drawImages(count) {
  const graphics = [drawLogo, drawChart, drawPage];
  return Array.from({ length: count }, (_, index) => {
    const draw = index % 3 === 2 ? graphics[Math.floor(index / 3) % graphics.length] : undefined;
    const random = createRandom(index + 1);
    return draw
      ? { name: `graphic ${index}`, kind: 'graphic', image: draw(random) }
      : { name: `photo ${index}`, kind: 'photo', image: drawPhoto(random) };
  });
}

/** Numbers from 0 to 1. @param {number} seed */
export function createRandom(seed) {
  let state = seed * 2654435761;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Noise whose strength falls with its frequency, as that of photos does, under a sky, with some objects.
 * @param {() => number} random
 */
function drawPhoto(random) {
  const channels = [0, 1, 2].map(() => fractalNoise(random));
  const shared = fractalNoise(random);
  const [skyline, light] = [0.2 + random() * 0.6, random() * 90 - 45];
  const pixels = new Uint8ClampedArray(WIDTH * HEIGHT * 3);
  for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
    const [x, y] = [(at % WIDTH) / WIDTH, Math.floor(at / WIDTH) / HEIGHT];
    const sky = y < skyline ? 60 - 60 * y : -30;
    for (let channel = 0; channel < 3; channel += 1) {
      const noise = 0.7 * (shared[at] ?? 0) + 0.3 * (channels[channel]?.[at] ?? 0);
      pixels[at * 3 + channel] = 110 + 170 * noise + sky + light * (x - 0.5);
    }
  }
  const image = sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
  return image.composite([{ input: svg(drawObjects(random, Math.floor(random() * 6))) }]);
}

/** @param {() => number} random */
function fractalNoise(random) {
  const result = new Float32Array(WIDTH * HEIGHT);
  const fall = 0.5 + random() * 0.15;
  let strength = 1;
  for (let cells = 2; cells <= 128; cells *= 2, strength *= fall) {
    const corners = Float32Array.from({ length: (cells + 1) * (cells + 1) }, () => random() * 2 - 1);
    for (let at = 0; at < result.length; at += 1) {
      const [x, y] = [((at % WIDTH) / WIDTH) * cells, (Math.floor(at / WIDTH) / HEIGHT) * cells];
      const [cx, cy] = [Math.floor(x), Math.floor(y)];
      const [fx, fy] = [smooth(x - cx), smooth(y - cy)];
      const corner = cy * (cells + 1) + cx;
      const above = mix(corners[corner] ?? 0, corners[corner + 1] ?? 0, fx);
      const below = mix(corners[corner + cells + 1] ?? 0, corners[corner + cells + 2] ?? 0, fx);
      result[at] = (result[at] ?? 0) + strength * 0.5 * mix(above, below, fy);
    }
  }
  return result;
}

/** @param {number} x */
const smooth = (x) => x * x * (3 - 2 * x);
/** @param {number} a @param {number} b @param {number} share */
const mix = (a, b, share) => a + (b - a) * share;

/** @param {() => number} random */
function color(random) {
  return `hsl(${Math.floor(random() * 360)},${30 + Math.floor(random() * 60)}%,${20 + Math.floor(random() * 60)}%)`;
}

/** @param {() => number} random @param {number} count */
function drawObjects(random, count) {
  return Array.from({ length: count }, () => {
    const [x, y] = [random() * WIDTH, random() * HEIGHT];
    const [w, h] = [20 + random() * 120, 20 + random() * 120];
    const shape = random();
    if (shape < 0.4) return `<ellipse cx="${x}" cy="${y}" rx="${w / 2}" ry="${h / 2}" fill="${color(random)}"/>`;
    if (shape < 0.7) return `<rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${color(random)}"/>`;
    return `<polygon points="${x},${y} ${x + w},${y + h / 2} ${x + w * random()},${y + h}" fill="${color(random)}"/>`;
  }).join('');
}

/** @param {string} content */
function svg(content, background = 'none') {
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="${background}"/>${content}</svg>`,
  );
}

/** Not symmetrical, on white. @param {() => number} random */
function drawLogo(random) {
  const middle = `translate(${WIDTH * 0.25} ${HEIGHT * 0.25}) scale(0.5)`;
  return sharp(svg(`<g transform="${middle}">${drawObjects(random, 3 + Math.floor(random() * 5))}</g>`, 'white'));
}

/** Bars and a line on white. @param {() => number} random */
function drawChart(random) {
  const count = 4 + Math.floor(random() * 8);
  const step = (WIDTH - 80) / count;
  const fill = color(random);
  const bars = Array.from({ length: count }, (_, index) => {
    const height = 20 + random() * 250;
    return `<rect x="${50 + index * step}" y="${310 - height}" width="${step * 0.7}" height="${height}" fill="${fill}"/>`;
  });
  const points = Array.from({ length: count }, (_, index) => `${50 + index * step},${40 + random() * 250}`).join(' ');
  const line = `<polyline points="${points}" fill="none" stroke="${color(random)}" stroke-width="5"/>`;
  return sharp(svg(`${bars.join('')}${line}<path d="M40 20V312H460" stroke="black" fill="none"/>`, 'white'));
}

/** Lines of words as bars, in paragraphs, so that no font is needed. @param {() => number} random */
function drawPage(random) {
  const words = [];
  for (let y = 24; y < HEIGHT - 24; y += 9) {
    if (random() < 0.12) continue;
    const end = random() < 0.15 ? WIDTH * (0.2 + 0.6 * random()) : WIDTH - 30;
    for (let x = 30; x < end; ) {
      const width = 8 + random() * 34;
      words.push(`<rect x="${x}" y="${y}" width="${Math.min(width, end - x)}" height="5" fill="#222"/>`);
      x += width + 5;
    }
  }
  const picture = drawObjects(random, 1);
  return sharp(svg(`${words.join('')}${picture}`, 'white'));
}

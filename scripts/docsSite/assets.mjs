// The files beside the pages: style sheet, scripts and pictures, with a hash of their content in their names, and compressed.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { escapeHtml } from './markdown.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
/** The highest quality takes ten times as long and saves two percent. */
const BROTLI_QUALITY = 9;

/** Writes a file, and what browsers get that accept compression. @param {string} path @param {string | Buffer} content */
function writeCompressed(path, content) {
  const bytes = Buffer.from(content);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  if (extname(path) === '.png') return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${path}.gz`, gzipSync(bytes));
}

/**
 * @param {string} folder of the site
 * @param {string} name
 * @param {string | Buffer} content
 * @returns {string} the path in the site
 */
export function writeAsset(folder, name, content) {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8).replace(/^-/, '_');
  const extension = extname(name);
  const path = `assets/${basename(name, extension)}-${hash}${extension}`;
  writeCompressed(join(folder, path), content);
  return path;
}

/** The colors and the frame of the web pages, and what only the documentation has. @param {string} folder */
export function writeStyles(folder) {
  const shared = ['tokens.css', 'reset.css', 'frame.css'].map((name) => join(root, 'packages/web/src/ui/styles', name));
  const contents = [...shared, join(here, 'docs.css')].map((path) => readFileSync(path, 'utf8'));
  return writeAsset(folder, 'docs.css', contents.join('\n'));
}

/** Classic scripts: browsers load no modules from `file:`. @param {string} folder @param {'page' | 'search'} name */
export async function writeScript(folder, name) {
  const bundle = await rolldown({ input: join(here, 'browser', `${name}.ts`), platform: 'browser', tsconfig: false });
  const { output } = await bundle.generate({ format: 'iife', minify: true });
  return writeAsset(folder, `${name}.js`, output[0].code);
}

/**
 * Drawings are part of the page, so that the style sheet colors them; pictures of pixels are files.
 * @param {string} folder
 * @param {string} source
 * @param {string} alt
 * @param {string} prefix
 */
export function renderImage(folder, source, alt, prefix) {
  const content = readFileSync(join(root, source));
  if (source.endsWith('.svg')) {
    const id = basename(source, '.svg');
    const label = `role="img" aria-labelledby="${id}-title"`;
    const drawing = content.toString('utf8').replace(/<!--[\s\S]*?-->\s*/g, '');
    const titled = drawing.replace(/<title>[\s\S]*?<\/title>/, `<title id="${id}-title">${escapeHtml(alt)}</title>`);
    return `<span class="drawing">${titled.replace('<svg ', `<svg ${label} `).trim()}</span>`;
  }
  if (!source.endsWith('.png')) throw new Error(`${source}: pictures are PNG or SVG files`);
  // The header of a PNG file; the browser reserves the room.
  const size = `width="${content.readUInt32BE(16)}" height="${content.readUInt32BE(20)}"`;
  const path = prefix + writeAsset(folder, source, content);
  return `<img src="${path}" alt="${escapeHtml(alt)}" ${size} loading="lazy">`;
}

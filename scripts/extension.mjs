// Builds the browser extension into packages/extension/dist/unpacked, which Chromium loads as it is.
// `npm run pack:extension` is `--pack`: also writes the ZIP file for the Chrome Web Store, the same bytes for the same files.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, deflateRawSync } from 'node:zlib';
import { build } from 'vite';
import { cssModules } from './cssModules.mjs';
import { drawIcon } from './iconSet.mjs';
import { root } from './prepare.mjs';

const folder = join(root, 'packages', 'extension');
const web = join(root, 'packages', 'web', 'src');
const unpacked = join(folder, 'dist', 'unpacked');

/** Sizes that the manifest names: what Chromium and the Chrome Web Store show. */
const ICON_SIZES = [16, 32, 48, 128];
/** Midnight of January 1, 1980, the earliest that the format has. */
const [ZIP_TIME, ZIP_DATE] = [0, 33];
const DEFLATED = 8;
/** 2.0: with folders and compression. */
const ZIP_VERSION = 20;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildExtension();
  if (process.argv.includes('--pack')) process.stdout.write(`${pack()}\n`);
}

async function buildExtension() {
  await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    // Four megabytes that the decoder of Opus loads for speech of bad quality only, which is not asked for.
    resolve: { alias: { '@wasm-audio-decoders/opus-ml': join(web, 'emptyModule.ts') } },
    css: { modules: cssModules },
    worker: { format: 'es' },
    build: {
      outDir: unpacked,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      target: 'es2023',
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: {
          panel: join(folder, 'panel.html'),
          options: join(folder, 'options.html'),
          background: join(folder, 'src', 'background.ts'),
        },
        // The manifest names it.
        output: { entryFileNames: ({ name }) => (name === 'background' ? 'background.js' : 'assets/[name]-[hash].js') },
      },
    },
  });
  const icons = join(unpacked, 'icons');
  mkdirSync(icons, { recursive: true });
  for (const size of ICON_SIZES) {
    writeFileSync(join(icons, `${size}.png`), await drawIcon(readFileSync(join(web, 'icon.svg')), size));
  }
  const manifest = { ...readJson('manifest.json'), version: readVersion() };
  writeFileSync(join(unpacked, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** @param {string} name @returns {object} */
function readJson(name) {
  return JSON.parse(readFileSync(join(folder, name), 'utf8'));
}

function readVersion() {
  const description = readJson('package.json');
  return 'version' in description ? String(description.version) : '';
}

/** Returns the path of the ZIP file. */
function pack() {
  const names = readdirSync(unpacked, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(unpacked, name)).isFile())
    .toSorted();
  const path = join(folder, 'dist', `provenance-extension-${readVersion()}.zip`);
  writeFileSync(path, zip(names.map((name) => ({ name, content: readFileSync(join(unpacked, name)) }))));
  return path;
}

/** @param {readonly { name: string, content: Buffer }[]} files */
function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, content } of files) {
    const bytes = deflateRawSync(content, { level: 9 });
    const nameBytes = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(ZIP_VERSION, 0);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt16LE(ZIP_TIME, 6);
    common.writeUInt16LE(ZIP_DATE, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(nameBytes.length, 22);
    parts.push(Buffer.from('PK\x03\x04'), common, nameBytes, bytes);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from([...Buffer.from('PK\x01\x02'), ZIP_VERSION, 0]), common, place, nameBytes);
    offset += 4 + common.length + nameBytes.length + bytes.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

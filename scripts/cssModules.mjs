// CSS modules of the pages and the extension: the names of their classes, and the types of what a component imports.

import { basename } from 'node:path';

const ENDING = '.module.css';

/** `Card-title` for `.title` in Card.module.css: the same in every build, because the API reference is written as text. */
export const cssModules = {
  generateScopedName: (/** @type {string} */ name, /** @type {string} */ file) => {
    const [path = ''] = file.split('?');
    return `${basename(path, ENDING)}-${name}`;
  },
};

/** Declarations of the classes in a module. @param {string} css */
export function writeClassTypes(css) {
  const rules = css.replaceAll(/\/\*[\s\S]*?\*\/|\{[^{}]*\}/g, ' ');
  const names = new Set([...rules.matchAll(/\.([a-zA-Z]\w*)/g)].map(([, name]) => name));
  return [...names].map((name) => `export const ${name}: string;\n`).join('');
}

// Names and texts of generated Python code.

export const MAX_COLUMNS = 120;

/** What Python and the generated methods use themselves. */
const reserved = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
    'import in is lambda nonlocal not or pass raise return try while with yield self'
  ).split(' '),
);

/** `snake_case` from `camelCase` or `kebab-case`. @param {string} name */
export function snakeCase(name) {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/\W+/g, '_');
  const snake = words.toLowerCase();
  return reserved.has(snake) ? `${snake}_` : snake;
}

/** `PascalCase` from `camelCase`, or from any text with words. @param {string} name */
export function pascalCase(name) {
  return name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter) => letter.toUpperCase());
}

/** Whether the name can be an attribute. @param {string} name */
export function isIdentifier(name) {
  return /^[A-Za-z_]\w*$/.test(name) && !reserved.has(name);
}

/** A literal of Python; JSON has the same strings and numbers. @param {unknown} value */
export function literal(value) {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

/**
 * Lines of at most MAX_COLUMNS, each after the prefix; the paragraphs of the text stay apart.
 * @param {string} text @param {string} prefix @param {string} [continuation] the prefix of a paragraph's later lines
 */
export function wrap(text, prefix, continuation = prefix) {
  return text
    .split('\n')
    .flatMap((paragraph) => {
      const lines = [''];
      for (const word of paragraph.split(' ')) {
        const line = lines.at(-1) ?? '';
        const start = lines.length === 1 ? prefix : continuation;
        if (line !== '' && start.length + line.length + 1 + word.length > MAX_COLUMNS) lines.push(word);
        else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
      }
      return lines.map((line, index) => `${index === 0 ? prefix : continuation}${line}`.trimEnd());
    })
    .join('\n');
}

/** The content of a docstring: nothing in it ends the string or is an escape. @param {string} text */
export function escapeDocstring(text) {
  return text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, "'");
}

/** Breaks lines that are too long at the commas within their brackets, where Python lets a line continue. @param {string} text */
export function breakLines(text) {
  return text
    .split('\n')
    .map((line) => (line.length > MAX_COLUMNS && /[[(]/.test(line) ? breakLine(line) : line))
    .join('\n');
}

/** @param {string} line */
function breakLine(line) {
  const [indent = ''] = /^ */.exec(line) ?? [];
  // Comments and docstrings have been wrapped.
  if (line.slice(indent.length).startsWith('#')) return line;
  const lines = [''];
  for (const piece of line.split(/(?<=, )/)) {
    const current = lines.at(-1) ?? '';
    if (current !== '' && current.length + piece.trimEnd().length > MAX_COLUMNS) lines.push(`${indent}    ${piece}`);
    else lines[lines.length - 1] = current + piece;
  }
  return lines.map((part) => part.trimEnd()).join('\n');
}

// Which files of a folder are left out: by the rules of .gitignore files, from three places. The last rule that matches
// decides: the defaults come first, then every `.provenanceignore` from the outermost folder inwards, then `--ignore`.

import ignore, { type Ignore } from 'ignore';

export const IGNORE_FILE = '.provenanceignore';

/** Registering is for good, and hidden files hold settings and secrets more often than works. */
const defaults = ['.*', 'node_modules/', 'Thumbs.db', 'desktop.ini', '*~'];

const options = { ignorecase: false };

export interface IgnoreRules {
  /** For a folder and the text of the ignore file in it; its path is relative to where the rules begin, '' there. */
  within(folder: string, text: string | undefined): IgnoreRules;
  /** Whether the file, or the folder when its path ends with a slash, is left out. */
  leavesOut(path: string): boolean;
}

export function ignoreRules(patterns: readonly string[]): IgnoreRules {
  return rules(ignore(options).add(defaults), ignore(options).add(patterns));
}

function rules(fromFiles: Ignore, fromCommand: Ignore): IgnoreRules {
  // One for each folder, because it remembers every path that it was asked for.
  const all = ignore(options).add(fromFiles).add(fromCommand);
  return {
    within: (folder, text) =>
      rules(text === undefined ? fromFiles : ignore(options).add(fromFiles).add(rooted(folder, text)), fromCommand),
    leavesOut: (path) => all.ignores(path),
  };
}

/** The same rules, written as if they stood in the outermost folder. */
function rooted(folder: string, text: string): string[] {
  const prefix = folder && `/${folder.replaceAll(/[\\*?[\]]/g, '\\$&')}`;
  return text.split(/\r?\n/).flatMap((line) => {
    const negation = line.startsWith('!') ? '!' : '';
    const pattern = line.slice(negation.length).replace(/(?<!\\)\s+$/, '');
    if (pattern === '' || line.startsWith('#')) return [];
    // Only a slash before the end ties a pattern to its folder.
    const isTied = pattern.slice(0, -1).includes('/');
    return `${negation}${prefix}/${isTied ? pattern.replace(/^\//, '') : `**/${pattern}`}`;
  });
}

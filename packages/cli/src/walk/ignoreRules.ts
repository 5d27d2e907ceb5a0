// Which files of a folder to skip, by the rules of .gitignore. The last matching rule decides: the defaults come first,
// then each `.provenanceignore` from the outermost folder inwards, then `--ignore`.

import ignore, { type Ignore } from 'ignore';

export const IGNORE_FILE = '.provenanceignore';

/** Registration is permanent, and hidden files often hold settings and secrets. */
const defaultPatterns = ['.*', 'node_modules/', 'Thumbs.db', 'desktop.ini', '*~'];

const ignoreOptions = { ignorecase: false };

export interface IgnoreRules {
  /** The rules inside a folder, given the text of its ignore file. The path is relative to the root folder, which is ''. */
  forFolder(folder: string, ignoreFileText: string | undefined): IgnoreRules;
  /** The path of a folder ends with a slash. */
  ignores(path: string): boolean;
}

export function createIgnoreRules(patterns: readonly string[]): IgnoreRules {
  return combineRules(ignore(ignoreOptions).add(defaultPatterns), ignore(ignoreOptions).add(patterns));
}

function combineRules(fromFiles: Ignore, fromCommandLine: Ignore): IgnoreRules {
  // A new instance for each folder, because an instance caches every path it has checked.
  const combined = ignore(ignoreOptions).add(fromFiles).add(fromCommandLine);
  return {
    forFolder(folder, text) {
      if (text === undefined) return combineRules(fromFiles, fromCommandLine);
      return combineRules(ignore(ignoreOptions).add(fromFiles).add(anchorPatterns(folder, text)), fromCommandLine);
    },
    ignores: (path) => combined.ignores(path),
  };
}

/** Rewrites the patterns of a folder's ignore file relative to the root folder. */
function anchorPatterns(folder: string, text: string): string[] {
  const prefix = folder && `/${folder.replaceAll(/[\\*?[\]]/g, '\\$&')}`;
  return text.split(/\r?\n/).flatMap((line) => {
    const negation = line.startsWith('!') ? '!' : '';
    const pattern = line.slice(negation.length).replace(/(?<!\\)\s+$/, '');
    if (pattern === '' || line.startsWith('#')) return [];
    // Only a slash before the end anchors a pattern to its folder.
    const isAnchored = pattern.slice(0, -1).includes('/');
    return `${negation}${prefix}/${isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`}`;
  });
}

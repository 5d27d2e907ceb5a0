// Splits a line of a shell into the arguments of one command, without a shell.

export interface CommandLine {
  readonly words: readonly string[];
  /** Files of `<`, `>` and `2>`. */
  readonly redirections: Readonly<Partial<Record<'<' | '>' | '2>', string>>>;
}

/** A redirection, quoted text, or text without quotes; none has a meaning of its own for a shell. */
const PART = /^(?:(2?>|<) +|"([^"`\\]*)"|'([^']*)'|([\w./:=,@%+-]+|\$[A-Z_]+))/;

/** Understands arguments, quotes, variables and redirection to files. Undefined for a line that needs a shell. */
export function parseCommandLine(line: string, variables: Readonly<Record<string, string>>): CommandLine | undefined {
  const words: string[] = [];
  const redirections: Partial<Record<'<' | '>' | '2>', string>> = {};
  let redirection: '<' | '>' | '2>' | undefined;
  let word: string | undefined;
  const endWord = () => {
    if (word === undefined) return;
    if (redirection) redirections[redirection] = word;
    else words.push(word);
    [word, redirection] = [undefined, undefined];
  };
  const expand = (text: string) => text.replaceAll(/\$([A-Z_]+)/g, (_, name) => variables[name] ?? '');
  let rest = line;
  while (rest !== '') {
    if (rest.startsWith(' ')) {
      endWord();
      rest = rest.slice(1);
      continue;
    }
    const [all, operator, doubleQuoted, singleQuoted, plain] = PART.exec(rest) ?? [];
    if (all === undefined || doubleQuoted?.includes('$(')) return undefined;
    if (operator === '<' || operator === '>' || operator === '2>') {
      endWord();
      redirection = operator;
    } else {
      word = `${word ?? ''}${singleQuoted ?? expand(doubleQuoted ?? plain ?? '')}`;
    }
    rest = rest.slice(all.length);
  }
  endWord();
  return { words, redirections };
}

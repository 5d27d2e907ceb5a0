// Completion for shells, made from the table of commands.

import { type Command, commonOptions, type Entry, flagName, type Group, isGroup, type Options } from './command.js';
import { wordsOf } from './parse.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface CompletedOption {
  readonly flag: string;
  readonly short: string | undefined;
  readonly summary: string;
  /** What its value may be; undefined when it has none. */
  readonly values: readonly string[] | undefined;
}

/** What can follow the names of a command, besides what can follow everywhere. */
interface Place {
  /** The names, a blank before each. */
  readonly path: string;
  /** Names of commands, or words that an argument may be. */
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  readonly options: readonly CompletedOption[];
}

export async function completionScript(root: Group, shell: Shell): Promise<string> {
  const places = await placesOf(root, root, '');
  const common = await completedOptions(commonOptions);
  if (shell === 'fish') return fishScript(places, common);
  return shell === 'bash' ? bashScript(places, common) : zshScript(places, common);
}

async function placesOf(root: Group, entry: Entry, path: string): Promise<Place[]> {
  const here = {
    path,
    words: isGroup(entry) ? namesIn(entry) : await argumentWords(root, entry),
    options: isGroup(entry) ? [] : await completedOptions(entry.options ?? {}),
  };
  const below = isGroup(entry) ? entry.commands : [];
  const others = await Promise.all(below.map((member) => placesOf(root, member, `${path} ${member.name}`)));
  return [here, ...others.flat()];
}

function namesIn({ commands }: Group): Place['words'] {
  return commands.map(({ name, summary }) => ({ word: name, summary }));
}

async function argumentWords(root: Group, entry: Command): Promise<Place['words']> {
  const words = Object.values(entry.arguments ?? {}).map(async ({ choices, completion, summary }) => {
    if (completion === 'commands') return namesIn(root);
    return choices ? (await wordsOf(choices)).map((word) => ({ word, summary })) : [];
  });
  return (await Promise.all(words)).flat();
}

function completedOptions(options: Options): Promise<CompletedOption[]> {
  return Promise.all(
    Object.entries(options).map(async ([name, { kind, short, summary, choices }]) => ({
      flag: flagName(name),
      short,
      summary,
      values: kind === 'flag' ? undefined : choices ? await wordsOf(choices) : [],
    })),
  );
}

/** Words that the table does not know, such as the names of files, are left to the shell itself (`-o default`). */
function bashScript(places: readonly Place[], common: readonly CompletedOption[]): string {
  const flagsOf = (options: readonly CompletedOption[]) => options.map(({ flag }) => `--${flag}`).join(' ');
  const answers = places.map(
    ({ path, words, options }) =>
      `    '${path}') words='${words.map(({ word }) => word).join(' ')}' flags='${flagsOf(options)}' ;;`,
  );
  const values = [
    ...places.flatMap(({ path, options }) => bashValues(`'${path}'`, options)),
    ...bashValues('*', common),
  ];
  return `# Completion of provenance for bash: eval "$(provenance completion bash)"
_provenance() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' flags='' index
  # bash breaks --option=value into three words.
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
    ${pathsOf(places).join('|')}) path="$path \${COMP_WORDS[index]}" ;;
    esac
  done
  case $path in
${answers.join('\n')}
  esac
  if [[ $current == -* ]]; then words="$flags ${flagsOf(common)}"; fi
  case "$path $previous" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _provenance provenance
`;
}

function pathsOf(places: readonly Place[]): string[] {
  return places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
}

function bashValues(where: string, options: readonly CompletedOption[]): string[] {
  return options.flatMap(({ flag, short, values }) => {
    if (values === undefined) return [];
    const names = [`--${flag}`, ...(short === undefined ? [] : [`-${short}`])];
    return [`    ${names.map((name) => `${where}' ${name}'`).join('|')}) words='${values.join(' ')}' ;;`];
  });
}

/** zsh can run what was made for bash. */
function zshScript(places: readonly Place[], common: readonly CompletedOption[]): string {
  const [, ...rest] = bashScript(places, common).split('\n');
  return `#compdef provenance
# Completion of provenance for zsh: eval "$(provenance completion zsh)"
autoload -U +X compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${rest.join('\n')}`;
}

function fishScript(places: readonly Place[], common: readonly CompletedOption[]): string {
  const rules = places.flatMap(({ path, words, options }) => {
    const here = `complete -c provenance -n '__provenance_at "${path}"'`;
    return [
      ...words.map(({ word, summary }) => `${here} -a ${word} -d ${quoted(summary)}`),
      ...options.map((option) => `${here}${fishOption(option)}`),
    ];
  });
  return `# Completion of provenance for fish: provenance completion fish | source
function __provenance_at
    set -l path ''
    for word in (commandline -opc)[2..-1]
        if contains -- "$path $word" ${pathsOf(places).join(' ')}
            set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
${rules.join('\n')}
${common.map((option) => `complete -c provenance${fishOption(option)}`).join('\n')}
`;
}

function fishOption({ flag, short, summary, values }: CompletedOption): string {
  const value = values === undefined ? '' : values.length > 0 ? ` -x -a '${values.join(' ')}'` : ' -r';
  return ` -l ${flag}${short === undefined ? '' : ` -s ${short}`}${value} -d ${quoted(summary)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

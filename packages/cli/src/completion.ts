// Renders shell completion scripts from the declarations of commands.

import { type Command, type CommandGroup, type CommandOrGroup, isGroup } from './command.js';
import { flagName, globalOptions, loadChoices, type Options } from './options.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

interface OptionCompletion {
  readonly flag: string;
  readonly short: string | undefined;
  readonly summary: string;
  /** Suggested values; undefined for flags. */
  readonly values: readonly string[] | undefined;
}

/** What can follow the names of a command, besides the global options. */
interface CommandCompletion {
  /** The names, with a space before each. */
  readonly path: string;
  /** Names of subcommands, or choices of an argument. */
  readonly words: readonly { readonly word: string; readonly summary: string }[];
  readonly options: readonly OptionCompletion[];
}

export async function renderCompletionScript(root: CommandGroup, shell: Shell): Promise<string> {
  const completions = await collectCompletions(root, root, '');
  const globals = await toOptionCompletions(globalOptions);
  if (shell === 'fish') return renderFish(completions, globals);
  return shell === 'bash' ? renderBash(completions, globals) : renderZsh(completions, globals);
}

async function collectCompletions(
  root: CommandGroup,
  entry: CommandOrGroup,
  path: string,
): Promise<CommandCompletion[]> {
  const own = {
    path,
    words: isGroup(entry) ? memberNames(entry) : await argumentChoices(root, entry),
    options: isGroup(entry) ? [] : await toOptionCompletions(entry.options ?? {}),
  };
  const members = isGroup(entry) ? entry.commands : [];
  const nested = await Promise.all(members.map((member) => collectCompletions(root, member, `${path} ${member.name}`)));
  return [own, ...nested.flat()];
}

function memberNames({ commands }: CommandGroup): CommandCompletion['words'] {
  return commands.map(({ name, summary }) => ({ word: name, summary }));
}

async function argumentChoices(root: CommandGroup, entry: Command): Promise<CommandCompletion['words']> {
  const words = Object.values(entry.arguments ?? {}).map(async ({ choices, completion, summary }) => {
    if (completion === 'commands') return memberNames(root);
    return choices ? (await loadChoices(choices)).map((word) => ({ word, summary })) : [];
  });
  return (await Promise.all(words)).flat();
}

function toOptionCompletions(options: Options): Promise<OptionCompletion[]> {
  return Promise.all(
    Object.entries(options).map(async ([name, { kind, short, summary, choices }]) => ({
      flag: flagName(name),
      short,
      summary,
      values: kind === 'flag' ? undefined : choices ? await loadChoices(choices) : [],
    })),
  );
}

/** Everything else, such as file names, is completed by bash itself (`-o default`). */
function renderBash(completions: readonly CommandCompletion[], globals: readonly OptionCompletion[]): string {
  const joinFlags = (options: readonly OptionCompletion[]) => options.map(({ flag }) => `--${flag}`).join(' ');
  const cases = completions.map(
    ({ path, words, options }) =>
      `    '${path}') words='${words.map(({ word }) => word).join(' ')}' flags='${joinFlags(options)}' ;;`,
  );
  const values = [
    ...completions.flatMap(({ path, options }) => renderBashValues(`'${path}'`, options)),
    ...renderBashValues('*', globals),
  ];
  return `# bash completion for provenance: eval "$(provenance completion bash)"
_provenance() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path='' words='' flags='' index
  # bash splits --option=value into three words.
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path \${COMP_WORDS[index]}" in
    ${quotedPaths(completions).join('|')}) path="$path \${COMP_WORDS[index]}" ;;
    esac
  done
  case $path in
${cases.join('\n')}
  esac
  if [[ $current == -* ]]; then words="$flags ${joinFlags(globals)}"; fi
  case "$path $previous" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _provenance provenance
`;
}

function quotedPaths(completions: readonly CommandCompletion[]): string[] {
  return completions.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
}

function renderBashValues(where: string, options: readonly OptionCompletion[]): string[] {
  return options.flatMap(({ flag, short, values }) => {
    if (values === undefined) return [];
    const names = [`--${flag}`, ...(short === undefined ? [] : [`-${short}`])];
    return [`    ${names.map((name) => `${where}' ${name}'`).join('|')}) words='${values.join(' ')}' ;;`];
  });
}

/** zsh runs bash completions through bashcompinit. */
function renderZsh(completions: readonly CommandCompletion[], globals: readonly OptionCompletion[]): string {
  const [, ...bashLines] = renderBash(completions, globals).split('\n');
  return `#compdef provenance
# zsh completion for provenance: eval "$(provenance completion zsh)"
autoload -U +X compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bashLines.join('\n')}`;
}

function renderFish(completions: readonly CommandCompletion[], globals: readonly OptionCompletion[]): string {
  const rules = completions.flatMap(({ path, words, options }) => {
    const prefix = `complete -c provenance -n '__provenance_at "${path}"'`;
    return [
      ...words.map(({ word, summary }) => `${prefix} -a ${word} -d ${quoteForFish(summary)}`),
      ...options.map((option) => `${prefix}${renderFishOption(option)}`),
    ];
  });
  return `# fish completion for provenance: provenance completion fish | source
function __provenance_at
    set -l path ''
    for word in (commandline -opc)[2..-1]
        if contains -- "$path $word" ${quotedPaths(completions).join(' ')}
            set path "$path $word"
        end
    end
    test "$path" = "$argv[1]"
end
${rules.join('\n')}
${globals.map((option) => `complete -c provenance${renderFishOption(option)}`).join('\n')}
`;
}

function renderFishOption({ flag, short, summary, values }: OptionCompletion): string {
  const value = values === undefined ? '' : values.length > 0 ? ` -x -a '${values.join(' ')}'` : ' -r';
  return ` -l ${flag}${short === undefined ? '' : ` -s ${short}`}${value} -d ${quoteForFish(summary)}`;
}

function quoteForFish(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`;
}

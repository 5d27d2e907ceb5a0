// `completion`: prints the completion script for a shell.

import { type Command, type CommandGroup, defineCommand } from '../command.js';
import { renderCompletionScript, shells } from '../completion.js';
import { joinLines } from '../text.js';

/** Takes a function because the root group contains this command. */
export function createCompletionCommand(getRoot: () => CommandGroup): Command {
  return defineCommand({
    name: 'completion',
    summary: 'generate shell completion',
    description: 'Prints a script that completes commands, options and their values in your shell.',
    arguments: { shell: { label: 'SHELL', summary: 'your shell', choices: shells } },
    examples: {
      'eval "$(provenance completion bash)"': 'Add to ~/.bashrc; for zsh, use zsh and ~/.zshrc',
      'provenance completion fish > provenance.fish': 'For fish, save it in ~/.config/fish/completions',
    },
    async run(context, { shell }) {
      const script = await renderCompletionScript(getRoot(), shell);
      context.printResult({ shell, script }, joinLines(script.trimEnd().split('\n')));
    },
  });
}

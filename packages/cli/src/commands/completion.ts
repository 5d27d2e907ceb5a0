// `completion`: what makes a shell complete our commands.

import { type Command, command, type Group } from '../command.js';
import { completionScript, shells } from '../completion.js';
import { lines } from '../text.js';

export function completionCommand(root: () => Group): Command {
  return command({
    name: 'completion',
    summary: 'completion for your shell',
    description: 'Prints a script that makes your shell complete commands, options and their values.',
    arguments: { shell: { label: 'SHELL', summary: 'your shell', choices: shells } },
    examples: [
      { run: 'eval "$(provenance completion bash)"', meaning: 'In ~/.bashrc; for zsh the same with zsh in ~/.zshrc' },
      {
        run: 'provenance completion fish > provenance.fish',
        meaning: 'For fish, into the folder ~/.config/fish/completions',
      },
    ],
    async run(context, { shell }) {
      const script = await completionScript(root(), shell);
      context.result({ shell, script }, lines(script.trimEnd().split('\n')));
      return 0;
    },
  });
}

// The command without a service: output, exit codes, settings, terminals and pipes.

import { createHash } from 'node:crypto';
import { chmod, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { drawRandomart } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { rootGroup } from '../src/commands/index.js';
import { listCommands } from '../src/outputSchemas/documents.js';
import { Machine } from './support/machine.js';

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});

/** Follows every redrawn progress line, to erase the rest of the previous one. */
const ERASE_LINE = '\u001b[K';

const sha256 = (content: string | Uint8Array) => `0x${createHash('sha256').update(content).digest('hex')}`;

describe('hash', () => {
  it('prints a line for each file as sha256sum does, with 0x', async () => {
    await machine.file('one.txt', 'one');
    await machine.file('two.txt', 'two');
    const sums = await machine.shell('sha256sum one.txt two.txt | sed s/^/0x/');
    expect(await machine.run(['hash', 'one.txt', 'two.txt'])).toEqual({ code: 0, stdout: sums.stdout, stderr: '' });
  });

  it('reads standard input', async () => {
    expect(await machine.run(['hash', '-'], 'piped')).toEqual({
      code: 0,
      stdout: `${sha256('piped')}  -\n`,
      stderr: '',
    });
  });

  it('draws randomart below a fingerprint', async () => {
    await machine.file('empty.txt', '');
    const { stdout } = await machine.run(['hash', '--art', 'empty.txt']);
    expect(stdout).toBe(`${sha256('')}  empty.txt\n${drawRandomart(createHash('sha256').digest())}\n`);
  });

  it('reports a file that cannot be read, continues, and exits with 3', async () => {
    await machine.file('there.txt', 'there');
    expect(await machine.run(['hash', 'gone.txt', 'there.txt'])).toEqual({
      code: 3,
      stdout: `${sha256('there')}  there.txt\n`,
      stderr: 'provenance: gone.txt: no such file.\n',
    });
    expect(await machine.json(['hash', 'gone.txt', 'there.txt'])).toEqual({
      code: 3,
      result: [
        { file: 'gone.txt', error: 'gone.txt: no such file.', code: 'FILE_PROBLEM' },
        { file: 'there.txt', fingerprint: sha256('there'), size: 5 },
      ],
    });
  });

  it('prints the fields that --format names, with control characters escaped', async () => {
    await machine.file('a\tb.txt', 'one');
    expect(await machine.run(['hash', '--format', 'size,file', 'a\tb.txt', 'gone.txt'])).toEqual({
      code: 3,
      stdout: '3\ta\\tb.txt\n',
      stderr: 'provenance: gone.txt: no such file.\n',
    });
    const { stdout } = await machine.run(['hash', '--format', '{file}\\t{fingerprint} ({art})', 'one.txt']);
    expect(stdout).toBe(`one.txt\t${sha256('one')} ()\n`);
  });

  it('reads files whose names are not UTF-8', async () => {
    const { code, stdout } = await machine.shell(
      String.raw`printf a > $'\xff'; printf b > $'\xfe'; provenance hash $'\xff' one.txt $'\xfe'`,
    );
    expect(code).toBe(0);
    expect(stdout.match(/^0x[0-9a-f]{64}/gm)).toEqual([sha256('a'), sha256('one'), sha256('b')]);
  });

  it('escapes control characters in names', async () => {
    const name = await machine.file('red\u001b[31m\u0007\n\u202etxt', 'x');
    const { stdout } = await machine.run(['hash', name]);
    expect(stdout).toBe(`${sha256('x')}  red\\u001b[31m\\u0007\\n\\u202etxt\n`);
    // Parsed JSON has the original name.
    expect((await machine.json(['hash', name])).result).toMatchObject([{ file: name }]);
  });
});

describe('in a terminal', () => {
  it('hash shows its progress, removes it, and prints the result', async () => {
    const file = await open(join(machine.home, 'large.bin'), 'w');
    await file.truncate(400_000_000);
    await file.close();
    const { code, stdout } = await machine.start(['hash', 'large.bin'], { isTerminal: true }).end;
    expect(code).toBe(0);
    expect(stdout).toMatch(/\rHashing {2}\[#*-+\] {2} \d+% {2}[\d.]+ MB of 400 MB/);
    expect(stdout.split(ERASE_LINE).at(-1)).toMatch(/^0x[0-9a-f]{64} {2}large\.bin\n$/);
  });

  it('colors are used in terminals, but not with NO_COLOR', async () => {
    const inTerminal = { isTerminal: true };
    const colored = await machine.start(['help', 'hash'], inTerminal).end;
    expect(colored.stdout).toContain('\u001b[1mUsage:');
    const plain = await machine.with({ NO_COLOR: '1' }).start(['help', 'hash'], inTerminal).end;
    expect(plain.stdout).not.toContain('\u001b');
    const piped = await machine.run(['help', 'hash']);
    expect(piped.stdout).not.toContain('\u001b');
    expect(plain.stdout).toBe(piped.stdout);
  });

  it('a progress bar fits into a narrow terminal', async () => {
    const { stdout } = await machine.terminal('stty cols 40; provenance hash large.bin').end;
    const drawnLines = stdout
      .split(ERASE_LINE)
      .slice(0, -1)
      .map((line) => line.slice(1));
    expect(drawnLines.some((line) => line.startsWith('Hashing'))).toBe(true);
    expect(Math.max(...drawnLines.map((line) => line.length))).toBeLessThan(40);
  });
});

describe('termination', () => {
  it('Ctrl-C ends the command with 130, even during a blocked read', async () => {
    await machine.shell('mkfifo pipe');
    const running = machine.spawn('bash', ['-c', 'provenance hash pipe & echo "pid $!."; wait $!; echo "ended: $?"']);
    await running.waitForOutput('.');
    // Blocks until the command opens the pipe for reading.
    const writer = await open(join(machine.home, 'pipe'), 'w');
    // More than a pipe holds: once it is written, the command waits for more.
    await writer.write(Buffer.alloc(200_000));
    process.kill(Number(/\d+/.exec(running.output())?.[0]), 'SIGINT');
    expect((await running.end).stdout).toContain('ended: 130');
    await writer.close();
  });

  it('a closed output pipe ends the command silently', async () => {
    await machine.shell('mkfifo later');
    // The second file cannot be read before the pipe is closed.
    const { stdout, stderr } = await machine.shell(
      'provenance hash one.txt later | { head -n 1; exec <&-; echo x > later; }; echo "ended: $PIPESTATUS"',
    );
    expect(stdout).toBe(`${sha256('one')}  one.txt\nended: 141\n`);
    expect(stderr).toBe('');
  });

  it('output that cannot be written is an error', async () => {
    const { code, stderr } = await machine.shell('provenance hash one.txt > /dev/full');
    expect([code, stderr]).toEqual([3, 'provenance: Could not write the output: no space left on device.\n']);
  });
});

describe('help', () => {
  it.each([['--help'], ['-h'], ['help']])('%s shows fourteen commands in groups', async (...args) => {
    const { code, stdout, stderr } = await machine.run(args);
    expect([code, stderr]).toEqual([0, '']);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name);
    expect(listed).toEqual([
      ...['register', 'verify', 'lookup', 'hash', 'watch', 'file'],
      ...['mark', 'org', 'invitation', 'claim'],
      ...['log', 'login', 'account', 'config'],
    ]);
    expect(stdout.match(/^[A-Z].*:$/gm)).toEqual([
      'Files:',
      'Marks and users:',
      'Public log:',
      'Settings:',
      'Global options:',
    ]);
  });

  it('is the same with help and --help, and has usage, options and examples', async () => {
    const { stdout } = await machine.run(['help', 'mark', 'create']);
    expect(stdout).toContain('Usage: provenance mark create [OPTIONS] NAME');
    expect(stdout).toMatch(/--license LICENSE [\s\S]* CC-BY-4\.0,/);
    expect(stdout).toContain('provenance mark create "Ada Lovelace" --license CC-BY-4.0');
    expect((await machine.run(['mark', 'create', '--help'])).stdout).toBe(stdout);
    expect((await machine.run(['mark', '-h', 'create', '--bogus'])).stdout).toBe(stdout);
  });

  it('fits into 100 columns', async () => {
    for (const { path } of listCommands(rootGroup, [])) {
      const { stdout } = await machine.run(['help', ...path.split(' ')]);
      expect(stdout).toContain(`provenance ${path}`);
      expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
    }
  });

  it('--version prints the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect((await machine.run(['--version'])).stdout).toBe(`${version}\n`);
    expect((await machine.json(['--version'])).result).toEqual({ version });
  });
});

describe('wrong use', () => {
  it.each([
    [[], "Missing command after 'provenance'. Available: register,", 'provenance help'],
    [['verfiy', 'x'], "Unknown command 'verfiy'. Did you mean 'verify'?", 'provenance help'],
    [['wibble'], "Unknown command 'wibble'.", 'provenance help'],
    [['mark'], "Missing command after 'provenance mark'. Available: list,", 'provenance help mark'],
    [['mark', 'lst'], "Unknown command 'mark lst'. Did you mean 'list'?", 'provenance help mark'],
    [['hash'], 'Missing argument FILE.', 'provenance help hash'],
    [['hash', '--atr', 'x'], "Unknown option --atr. Did you mean '--art'?", 'provenance help hash'],
    [['--jsn', 'hash', 'x'], "Unknown option --jsn. Did you mean '--json'?", 'provenance help hash'],
    [['--bogus'], 'Unknown option --bogus.', 'provenance help'],
    [['hash', '-0', 'x'], '--null requires --files-from.', 'provenance help hash'],
    [['hash', '--files-from', '-', '-'], 'Standard input can be read only once.', 'provenance help hash'],
    [['hash', '--concurrency', '0', 'x'], '--concurrency must be a number from 1 to 64.', 'provenance help hash'],
    [['hash', '-x', 'x'], 'Unknown option -x.', 'provenance help hash'],
    [
      ['hash', '--format', '{file', 'x'],
      "--format: '{file' has a brace without its counterpart.",
      'provenance help hash',
    ],
    [['hash', '--format', 'file, ', 'x'], "--format: '' is not the name of a field.", 'provenance help hash'],
    [
      ['hash', '--format', 'name', 'x'],
      "--format: there is no field 'name'. Fields: art, code,",
      'provenance help hash',
    ],
    [['hash', '--format', 'file', '--csv', 'x'], '--csv and --format cannot be combined.', 'provenance help hash'],
    [['hash', '--art=yes', 'x'], '--art does not take a value.', 'provenance help hash'],
    [['lookup', 'a', 'b'], "Unexpected argument 'b'.", 'provenance help lookup'],
    [['account', 'limits', '--org'], '--org requires a value: --org ORGANIZATION.', 'provenance help account limits'],
    [
      ['account', 'limits', '--org', '--url'],
      '--org requires a value: --org ORGANIZATION.',
      'provenance help account limits',
    ],
    [
      ['file', 'status', '--timeout', 'soon', 'x'],
      "--timeout must be a whole number, not 'soon'.",
      'provenance help file status',
    ],
    [['org', 'units', 'x', 'many'], "COUNT must be a whole number, not 'many'.", 'provenance help org units'],
    [['completion', 'tcsh'], "SHELL must be one of bash, zsh, fish, not 'tcsh'.", 'provenance help completion'],
    [['help', 'hash', 'x'], "'hash' has no subcommands.", 'provenance help hash'],
  ])('%j exits with 2, the reason and the help to read', async (args, reason, help) => {
    const { code, stdout, stderr } = await machine.run(args);
    expect([code, stdout]).toEqual([2, '']);
    const [first, second, ...rest] = stderr.split('\n');
    expect(first).toContain(`provenance: ${reason}`);
    expect([second, ...rest]).toEqual([`provenance: Run '${help}' for usage.`, '']);
  });

  it('is reported as JSON with --json', async () => {
    expect(await machine.json(['hash', '--csv', 'x'])).toEqual({
      code: 2,
      result: { error: '--json and --csv cannot be combined.', code: 'WRONG_USE' },
    });
    expect(await machine.json(['config', 'show', '--format', 'file'])).toMatchObject({
      code: 2,
      result: { error: '--json and --format cannot be combined.' },
    });
    expect(await machine.json(['verfiy'])).toEqual({
      code: 2,
      result: { error: "Unknown command 'verfiy'. Did you mean 'verify'?", code: 'WRONG_USE' },
    });
  });

  it('escapes control characters in the message', async () => {
    const { stderr } = await machine.run(['\u001b]0;title\u0007']);
    expect(stderr).toContain("Unknown command '\\u001b]0;title\\u0007'.");
  });
});

describe('settings', () => {
  const readSettings = async (where: Machine, args: readonly string[] = []) => {
    const { result } = await where.json(['config', 'show', ...args]);
    const { settings } = result as { settings: { name: string; value: string | null; from: string | null }[] };
    return Object.fromEntries(settings.map(({ name, value, from }) => [name, [value, from]]));
  };

  it('are read from flags, the environment, the profile and defaults, in this order', async () => {
    const here = await Machine.create();
    await here.run(['config', 'set', 'url', 'http://profile.example']);
    expect(await readSettings(here)).toMatchObject({
      url: ['http://profile.example', 'profile default'],
      profile: ['default', 'default'],
      token: [null, null],
    });
    const set = here.with({ PROVENANCE_URL: 'http://variable.example' });
    expect((await readSettings(set))['url']).toEqual(['http://variable.example', 'PROVENANCE_URL']);
    expect((await readSettings(set, ['--url', 'http://flag.example']))['url']).toEqual([
      'http://flag.example',
      '--url',
    ]);
    await here.run(['config', 'unset', 'url']);
    expect((await readSettings(here))['url']).toEqual(['http://127.0.0.1:8080', 'default']);
  });

  it('are stored in profiles, chosen by flag, variable or config use', async () => {
    const here = await Machine.create();
    await here.run(['config', 'set', 'url', 'http://two.example', '--profile', 'two']);
    const url = async (where: Machine, ...args: string[]) =>
      (await where.run(['config', 'get', 'url', ...args])).stdout;
    expect(await url(here)).toBe('http://127.0.0.1:8080\n');
    expect(await url(here, '-p', 'two')).toBe('http://two.example\n');
    expect(await url(here.with({ PROVENANCE_PROFILE: 'two' }))).toBe('http://two.example\n');
    for (const other of ['three', 'tw', 'two2', 'Two']) expect((await here.run(['config', 'use', other])).code).toBe(1);
    expect((await here.run(['config', 'use', 'two'])).code).toBe(0);
    expect((await here.run(['config', 'profiles'])).stdout).toMatch(/^\* {2}two +http:\/\/two\.example$/m);
  });

  it('are written to a file that only its owner can read, with a warning if others can', async () => {
    const here = await Machine.create();
    await here.run(['config', 'set', 'url', 'http://one.example']);
    expect((await stat(here.config)).mode & 0o777).toBe(0o600);
    await chmod(here.config, 0o644);
    const { code, stderr } = await here.run(['config', 'get', 'url']);
    expect([code, stderr]).toEqual([
      0,
      `provenance: Other users can read ${here.config}, which may contain tokens. Run chmod 600 on it.\n`,
    ]);
    await here.run(['config', 'set', 'url', 'http://two.example']);
    expect((await stat(here.config)).mode & 0o777).toBe(0o600);
  });

  it('follow XDG_CONFIG_HOME', async () => {
    const here = await Machine.create();
    const configHome = join(here.home, 'elsewhere');
    await here.with({ XDG_CONFIG_HOME: configHome }).run(['config', 'set', 'url', 'http://one.example']);
    expect(JSON.parse(await readFile(join(configHome, 'provenance', 'config.json'), 'utf8'))).toEqual({
      profiles: { default: { url: 'http://one.example' } },
    });
  });

  it.each([
    ['{', 'is not valid JSON.'],
    ['{"profiles": {"default": {"url": 7}}}', 'profiles.default.url must be string.'],
    ['{"profiles": {"default": {"ulr": "x"}}}', 'profiles.default.ulr is not a setting.'],
    ['{}', 'the file must have required properties profiles.'],
  ])('in an invalid file (%s) are refused with the reason', async (content, reason) => {
    const here = await Machine.create();
    await here.file('.config/provenance/config.json', content);
    await chmod(here.config, 0o600);
    const { code, stderr } = await here.run(['config', 'show']);
    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });

  it.each([
    [{ PROVENANCE_URL: 'ftp://x' }, "PROVENANCE_URL: 'ftp://x' is not an http or https URL."],
    [{ PROVENANCE_URL: 'nonsense' }, "PROVENANCE_URL: 'nonsense' is not a URL."],
    [
      { PROVENANCE_CONTRACT: '0x12' },
      "PROVENANCE_CONTRACT: '0x12' is not a contract address (0x and 40 hexadecimal digits).",
    ],
  ])('that are invalid (%j) are refused before any request', async (env, reason) => {
    const { code, stderr } = await machine.with(env).run(['lookup', 'one.txt']);
    expect([code, stderr.split('\n')[0]]).toEqual([2, `provenance: ${reason}`]);
  });

  it('show tokens masked, also in messages', async () => {
    const token = `svc_${'a'.repeat(22)}`;
    const here = machine.with({ PROVENANCE_TOKEN: token });
    expect((await readSettings(here))['token']).toEqual(['svc_aaaa…aaaa', 'PROVENANCE_TOKEN']);
    const { stderr } = await machine.with({ PROVENANCE_TOKEN: `${token} x` }).run(['account', 'limits']);
    expect(stderr).toContain('PROVENANCE_TOKEN: the value is not a valid token');
    expect(stderr).not.toContain(token);
  });

  it('with the URL of an unreachable service exit with 3', async () => {
    // Nothing listens on port 1, and a sign-up is not retried.
    const { code, result } = await machine
      .with({ PROVENANCE_URL: 'http://127.0.0.1:1', PROVENANCE_PASSWORD: 'correct horse battery' })
      .json(['login', '--sign-up', 'Ada', '--email', 'ada@example.com']);
    expect(code).toBe(3);
    expect(result).toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('completion', () => {
  const lines: Readonly<Record<string, readonly string[]>> = {
    'provenance ver': ['verify'],
    'provenance config ': ['show', 'get', 'set', 'unset', 'profiles', 'use', 'trust'],
    'provenance --url http://x invitation ': ['create', 'list', 'show', 'accept', 'decline', 'withdraw'],
    'provenance mark create --vis': ['--visibility'],
    'provenance mark create x --license CC0': ['CC0-1.0'],
    'provenance mark create x --license=CC0': ['CC0-1.0'],
    'provenance file status --j': ['--json-lines', '--json'],
    'provenance config get tru': ['trust-anchors'],
    'provenance hash o': [],
  };

  it('in bash offers commands, options and their values', async () => {
    // As bash does it: split the line into words, then call the completion function.
    const { stdout, stderr } = await machine.shell(`
      eval "$(provenance completion bash)"
      [[ $(complete -p provenance) == *'-o default -F _provenance provenance' ]] || exit 1
      for line in ${Object.keys(lines)
        .map((line) => `'${line}'`)
        .join(' ')}; do
        read -ra COMP_WORDS <<< "\${line//=/ = }"
        [[ $line == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        _provenance
        printf '%s:%s\\n' "$line" "\${COMPREPLY[*]}"
      done`);
    expect(stderr).toBe('');
    const completions = Object.entries(lines).map(([line, words]) => `${line}:${words.join(' ')}`);
    expect(stdout.trimEnd().split('\n')).toEqual(completions);
  });

  it('scripts for the other shells name every command', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await machine.run(['completion', shell]);
      expect(code).toBe(0);
      for (const name of ['hash', 'verify', 'mark domain remove', 'config use']) expect(stdout).toContain(name);
    }
  });
});

// The command without any service: what it prints where, its exit codes, its settings, terminals and pipes.

import { createHash } from 'node:crypto';
import { chmod, mkdir, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { drawRandomart } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { Machine } from './support/provenance.js';

let machine: Machine;
beforeAll(async () => {
  machine = await Machine.create();
});

/** What follows a line that is drawn again and again, and takes the rest of the older one away. */
const ERASE = '\u001b[K';

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

  it('draws the picture of a fingerprint under it', async () => {
    await machine.file('empty.txt', '');
    const { stdout } = await machine.run(['hash', '--art', 'empty.txt']);
    expect(stdout).toBe(`${sha256('')}  empty.txt\n${drawRandomart(createHash('sha256').digest())}\n`);
  });

  it('goes on after a file that cannot be read, names it, and exits with 3', async () => {
    await machine.file('there.txt', 'there');
    await mkdir(join(machine.home, 'folder'), { recursive: true });
    expect(await machine.run(['hash', 'gone.txt', 'folder', 'there.txt'])).toEqual({
      code: 3,
      stdout: `${sha256('there')}  there.txt\n`,
      stderr: 'provenance: gone.txt: no such file.\nprovenance: folder: it is a folder.\n',
    });
    expect(await machine.json(['hash', 'gone.txt', 'there.txt'])).toEqual({
      code: 3,
      answer: [
        { file: 'gone.txt', error: 'gone.txt: no such file.', code: 'FILE_PROBLEM' },
        { file: 'there.txt', fingerprint: sha256('there'), size: 5 },
      ],
    });
  });

  it('reads files whose names are not UTF-8', async () => {
    const { code, stdout } = await machine.shell(
      String.raw`printf a > $'\xff'; printf b > $'\xfe'; provenance hash $'\xff' one.txt $'\xfe'`,
    );
    expect(code).toBe(0);
    expect(stdout.match(/^0x[0-9a-f]{64}/gm)).toEqual([sha256('a'), sha256('one'), sha256('b')]);
  });

  it('makes control characters in names visible', async () => {
    await machine.file('red\u001b[31m\u0007\n\u202etxt', 'x');
    const { stdout } = await machine.shell('provenance hash red*');
    expect(stdout).toBe(`${sha256('x')}  red\\u001b[31m\\u0007\\n\\u202etxt\n`);
    // Programs get the name as it is.
    const { stdout: json } = await machine.shell('provenance hash --json red*');
    expect(JSON.parse(json)).toMatchObject([{ file: 'red\u001b[31m\u0007\n\u202etxt' }]);
  });
});

describe('in a terminal', () => {
  it('hash shows how far it is, takes the line away again, and prints the result', async () => {
    const file = await open(join(machine.home, 'large.bin'), 'w');
    await file.truncate(400_000_000);
    await file.close();
    const { code, stdout } = await machine.terminal('provenance hash large.bin').end;
    expect(code).toBe(0);
    expect(stdout).toMatch(/\rHashing {2}\[#*-+\] {2} \d+% {2}[\d.]+ MB of 400 MB/);
    expect(stdout.split(ERASE).at(-1)).toMatch(/^0x[0-9a-f]{64} {2}large\.bin\r\n$/);
    const piped = await machine.run(['hash', 'large.bin']);
    expect(piped.stderr).toBe('');
  });

  it('colours are for terminals, and not with NO_COLOR', async () => {
    const coloured = await machine.terminal('provenance help hash').end;
    expect(coloured.stdout).toContain('\u001b[1mUsage:');
    const plain = await machine.with({ NO_COLOR: '1' }).terminal('provenance help hash').end;
    expect(plain.stdout).not.toContain('\u001b');
    const piped = await machine.run(['help', 'hash']);
    expect(piped.stdout).not.toContain('\u001b');
    expect(plain.stdout.replaceAll('\r', '')).toBe(piped.stdout);
  });

  it('a bar fits into the terminal, however narrow it is', async () => {
    const { stdout } = await machine.terminal('stty cols 40; provenance hash large.bin').end;
    const drawn = stdout
      .split(ERASE)
      .slice(0, -1)
      .map((line) => line.slice(1));
    expect(drawn.some((line) => line.startsWith('Hashing'))).toBe(true);
    expect(Math.max(...drawn.map((line) => line.length))).toBeLessThan(40);
  });
});

describe('what ends it', () => {
  it('Ctrl-C ends it at once with 130, even while a read hangs', async () => {
    await machine.shell('mkfifo pipe');
    const running = machine.spawn('bash', ['-c', 'provenance hash pipe & echo "it is $!."; wait $!; echo "ended: $?"']);
    await running.shows('.');
    // Opened as soon as the other side reads.
    const writer = await open(join(machine.home, 'pipe'), 'w');
    // More than a pipe holds: when all of it is written, the other side is waiting for more.
    await writer.write(Buffer.alloc(200_000));
    process.kill(Number(/\d+/.exec(running.output())?.[0]), 'SIGINT');
    expect((await running.end).stdout).toContain('ended: 130');
    await writer.close();
  });

  it('a reader that has had enough is no trouble', async () => {
    await machine.shell('mkfifo later');
    // The second file cannot be read before the reader is gone.
    const { stdout, stderr } = await machine.shell(
      'provenance hash one.txt later | { head -n 1; exec <&-; echo x > later; }; echo "ended: $PIPESTATUS"',
    );
    expect(stdout).toBe(`${sha256('one')}  one.txt\nended: 141\n`);
    expect(stderr).toBe('');
  });

  it('output that cannot be written is said, and is no success', async () => {
    const { code, stderr } = await machine.shell('provenance hash one.txt > /dev/full');
    expect([code, stderr]).toEqual([3, 'provenance: the output could not be written: the disk is full.\n']);
  });
});

describe('help', () => {
  it.each([['--help'], ['-h'], ['help']])('%s shows every command', async (...args) => {
    const { code, stdout, stderr } = await machine.run(args);
    expect([code, stderr]).toEqual([0, '']);
    for (const name of ['hash', 'verify', 'resolve', 'status', 'bundle', 'login', 'marks', 'keys', 'orgs', 'limits']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} {2,}\\S`, 'm'));
    }
  });

  it('is the same behind help and before --help, with usage, options and examples', async () => {
    const { stdout } = await machine.run(['help', 'marks', 'create']);
    expect(stdout).toContain('Usage: provenance marks create [OPTIONS] NAME');
    expect(stdout).toMatch(/--license LICENCE [\s\S]* CC-BY-4\.0,/);
    expect(stdout).toContain('provenance marks create "Ada Lovelace" --license CC-BY-4.0');
    expect((await machine.run(['marks', 'create', '--help'])).stdout).toBe(stdout);
    expect((await machine.run(['marks', '-h', 'create', '--bogus'])).stdout).toBe(stdout);
  });

  it('fits into 100 columns', async () => {
    const { stdout } = await machine.shell(
      'for c in hash verify resolve status bundle login limits "marks create" "orgs members add"; do provenance help $c; done',
    );
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
  });

  it('--version tells the version of the package', async () => {
    const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect((await machine.run(['--version'])).stdout).toBe(`${version}\n`);
    expect((await machine.json(['--version'])).answer).toEqual({ version });
  });
});

describe('wrong use', () => {
  it.each([
    [[], "A command is missing after 'provenance': hash,", 'provenance help'],
    [['verfiy', 'x'], "There is no command 'verfiy'; did you mean 'verify'?", 'provenance help'],
    [['wibble'], "There is no command 'wibble'.", 'provenance help'],
    [['marks'], "A command is missing after 'provenance marks': list,", 'provenance help marks'],
    [['marks', 'lst'], "There is no command 'marks lst'; did you mean 'list'?", 'provenance help marks'],
    [['hash'], 'FILE is missing.', 'provenance help hash'],
    [['hash', '--atr', 'x'], "There is no option --atr; did you mean '--art'?", 'provenance help hash'],
    [['--jsn', 'hash', 'x'], "There is no option --jsn; did you mean '--json'?", 'provenance help hash'],
    [['--bogus'], 'There is no option --bogus.', 'provenance help'],
    [['hash', '-x', 'x'], 'There is no option -x.', 'provenance help hash'],
    [['hash', '--art=yes', 'x'], '--art takes no value.', 'provenance help hash'],
    [['resolve', 'a', 'b'], "'b' is one argument too many.", 'provenance help resolve'],
    [['limits', '--org'], '--org needs a value: --org ORGANIZATION.', 'provenance help limits'],
    [['limits', '--org', '--url'], '--org needs a value: --org ORGANIZATION.', 'provenance help limits'],
    [['status', '--timeout', 'soon', 'x'], "--timeout is a whole number, not 'soon'.", 'provenance help status'],
    [['orgs', 'units', 'x', 'many'], "COUNT is a whole number, not 'many'.", 'provenance help orgs units'],
    [['completion', 'tcsh'], "SHELL is one of bash, zsh, fish; not 'tcsh'.", 'provenance help completion'],
    [['help', 'hash', 'x'], "There are no commands under 'hash'.", 'provenance help hash'],
  ])('%j exits with 2, says why, and where to read more', async (args, why, help) => {
    const { code, stdout, stderr } = await machine.run(args);
    expect([code, stdout]).toEqual([2, '']);
    const [first, second, ...rest] = stderr.split('\n');
    expect(first).toContain(`provenance: ${why}`);
    expect([second, ...rest]).toEqual([`provenance: see '${help}'.`, '']);
  });

  it('is told to programs as JSON', async () => {
    expect(await machine.json(['verfiy'])).toEqual({
      code: 2,
      answer: { error: "There is no command 'verfiy'; did you mean 'verify'?", code: 'WRONG_USE' },
    });
  });

  it('of a name with control characters cannot send any to the terminal', async () => {
    const { stderr } = await machine.run(['\u001b]0;title\u0007']);
    expect(stderr).toContain("There is no command '\\u001b]0;title\\u0007'.");
  });
});

describe('settings', () => {
  const settingsOf = async (where: Machine, args: readonly string[] = []) => {
    const { answer } = await where.json(['config', 'show', ...args]);
    const { settings } = answer as { settings: { name: string; value: string | null; from: string | null }[] };
    return Object.fromEntries(settings.map(({ name, value, from }) => [name, [value, from]]));
  };

  it('come from flags, then the environment, then the profile, then defaults', async () => {
    const here = await Machine.create();
    await here.run(['config', 'set', 'url', 'http://profile.example']);
    expect(await settingsOf(here)).toMatchObject({
      url: ['http://profile.example', 'profile default'],
      profile: ['default', 'default'],
      token: [null, null],
    });
    const set = here.with({ PROVENANCE_URL: 'http://variable.example' });
    expect((await settingsOf(set))['url']).toEqual(['http://variable.example', 'PROVENANCE_URL']);
    expect((await settingsOf(set, ['--url', 'http://flag.example']))['url']).toEqual(['http://flag.example', '--url']);
    await here.run(['config', 'unset', 'url']);
    expect((await settingsOf(here))['url']).toEqual(['http://127.0.0.1:8080', 'default']);
  });

  it('are kept in profiles, chosen by flag, variable or config use', async () => {
    const here = await Machine.create();
    await here.run(['config', 'set', 'url', 'http://two.example', '--profile', 'two']);
    const url = async (where: Machine, ...args: string[]) =>
      (await where.run(['config', 'get', 'url', ...args])).stdout;
    expect(await url(here)).toBe('http://127.0.0.1:8080\n');
    expect(await url(here, '-p', 'two')).toBe('http://two.example\n');
    expect(await url(here.with({ PROVENANCE_PROFILE: 'two' }))).toBe('http://two.example\n');
    expect((await here.run(['config', 'use', 'three'])).code).toBe(1);
    expect((await here.run(['config', 'use', 'two'])).code).toBe(0);
    expect((await here.run(['config', 'profiles'])).stdout).toMatch(/^\* {2}two +http:\/\/two\.example$/m);
  });

  it('are written to a file that only its owner can read; one that others can read is complained about', async () => {
    const here = await Machine.create();
    await here.run(['config', 'set', 'url', 'http://one.example']);
    expect((await stat(here.config)).mode & 0o777).toBe(0o600);
    await chmod(here.config, 0o644);
    const { code, stderr } = await here.run(['config', 'get', 'url']);
    expect([code, stderr]).toEqual([
      0,
      `provenance: Others can read ${here.config}, which may hold tokens: chmod 600 it.\n`,
    ]);
    await here.run(['config', 'set', 'url', 'http://two.example']);
    expect((await stat(here.config)).mode & 0o777).toBe(0o600);
  });

  it('follow XDG_CONFIG_HOME', async () => {
    const here = await Machine.create();
    const there = join(here.home, 'elsewhere');
    await here.with({ XDG_CONFIG_HOME: there }).run(['config', 'set', 'url', 'http://one.example']);
    expect(JSON.parse(await readFile(join(there, 'provenance', 'config.json'), 'utf8'))).toEqual({
      profiles: { default: { url: 'http://one.example' } },
    });
  });

  it.each([
    ['{', 'is not valid JSON.'],
    ['{"profiles": {"default": {"url": 7}}}', 'profiles.default.url must be string.'],
    ['{"profiles": {"default": {"ulr": "x"}}}', 'profiles.default.ulr is not a setting.'],
    ['{}', 'it must have required properties profiles.'],
  ])('that are not in their form (%s) are refused with what is wrong', async (content, why) => {
    const here = await Machine.create();
    await here.file('.config/provenance/config.json', content);
    await chmod(here.config, 0o600);
    const { code, stderr } = await here.run(['config', 'show']);
    expect(code).toBe(2);
    expect(stderr).toContain(why);
  });

  it.each([
    [{ PROVENANCE_URL: 'ftp://x' }, "PROVENANCE_URL: 'ftp://x' is no http or https address."],
    [{ PROVENANCE_URL: 'nonsense' }, "PROVENANCE_URL: 'nonsense' is no web address."],
    [{ PROVENANCE_CONTRACT: '0x12' }, "PROVENANCE_CONTRACT: '0x12' is no contract address: 0x and 40 digits."],
  ])('that make no sense (%j) are refused before anything is asked', async (env, why) => {
    const { code, stderr } = await machine.with(env).run(['resolve', 'one.txt']);
    expect([code, stderr.split('\n')[0]]).toEqual([2, `provenance: ${why}`]);
  });

  it('a token is never shown whole, and no message has it', async () => {
    const token = `svc_${'a'.repeat(22)}`;
    const here = machine.with({ PROVENANCE_TOKEN: token });
    expect((await settingsOf(here))['token']).toEqual(['svc_aaaa…aaaa', 'PROVENANCE_TOKEN']);
    const { stderr } = await machine.with({ PROVENANCE_TOKEN: `${token} x` }).run(['limits']);
    expect(stderr).toContain('PROVENANCE_TOKEN: it is no token');
    expect(stderr).not.toContain(token);
  });

  it('a service that is not there is told as unreachable, with exit code 3', async () => {
    // Port 1 has no listener; what cannot be repeated safely is not tried again.
    const { code, answer } = await machine
      .with({ PROVENANCE_URL: 'http://127.0.0.1:1', PROVENANCE_PASSWORD: 'correct horse battery' })
      .json(['login', '--sign-up', 'Ada', '--email', 'ada@example.com']);
    expect(code).toBe(3);
    expect(answer).toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('completion', () => {
  const lines: Readonly<Record<string, readonly string[]>> = {
    'provenance ver': ['verify'],
    'provenance marks ': ['list', 'show', 'create', 'update', 'artifacts', 'gallery', 'members'],
    'provenance --url http://x marks members ': ['add', 'remove'],
    'provenance marks create --vis': ['--visibility'],
    'provenance marks create x --license CC0': ['CC0-1.0'],
    'provenance marks create x --license=CC0': ['CC0-1.0'],
    'provenance status --j': ['--json'],
    'provenance config get tru': ['trust-anchors'],
    'provenance hash o': [],
  };

  it('in bash offers commands, options and their values', async () => {
    // As bash itself does it: the line broken into words, then the function that was given for the command.
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
    const offered = Object.entries(lines).map(([line, words]) => `${line}:${words.join(' ')}`);
    expect(stdout.trimEnd().split('\n')).toEqual(offered);
  });

  it('scripts for the other shells name every command', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await machine.run(['completion', shell]);
      expect(code).toBe(0);
      for (const name of ['hash', 'verify', 'marks members add', 'config use']) expect(stdout).toContain(name);
    }
  });
});

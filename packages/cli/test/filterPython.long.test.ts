// The Python package reads the downloads of a real service, and refuses the same lies as `provenance file filter`.

import { on } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, expect, it } from 'vitest';
import { python as interpreter, pythonVariables } from '../../../test/support/python.js';
import { describeFilterClient, downloads } from './support/filterClient.js';
import type { RunningProcess } from './support/machine.js';

const variables = Object.entries(pythonVariables).map(([name, value]) => `${name}=${value}`);

/** Runs the program of the package once for each line of its input: starting Python takes longer than most calls. */
const driver = `
import contextlib, io, json, sys
from provenance_registry.__main__ import main

for line in sys.stdin:
    call = json.loads(line)
    sys.stdin, out, err = io.StringIO(call["input"]), io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(call["arguments"])
    print(json.dumps({"code": code, "stdout": out.getvalue(), "stderr": err.getvalue()}), flush=True)
`;

let python: RunningProcess | undefined;
let results: NodeJS.AsyncIterator<unknown[]> | undefined;
afterAll(async () => {
  python?.process.stdin.end();
  await python?.end;
});

it('the Python package is a program', async () => {
  const { machine, url, registered } = downloads;
  const start = (command: string, input: string) => {
    const options = ['--registry', url, '--roots', 'roots.pem', '--folder', 'program'];
    const running = machine.spawn('env', [...variables, interpreter, '-m', 'provenance_registry', command, ...options]);
    running.process.stdin.end(input);
    return running.end;
  };
  expect(await start('filter', registered)).toMatchObject({ code: 3, stdout: '' });
  expect(await start('update', '')).toMatchObject({ code: 0, stderr: '' });
  expect(await start('filter', registered)).toEqual({ code: 0, stdout: `${registered} maybe\n`, stderr: '' });
});

describeFilterClient('the Python package', async (folder, [first, ...rest], input = '') => {
  const { machine, url } = downloads;
  python ??= machine.spawn('env', [...variables, interpreter, '-c', driver]);
  results ??= on(createInterface(python.process.stdout), 'line');
  const [command, options] =
    first === '--update' ? ['update', rest] : ['filter', first === undefined ? [] : [first, ...rest]];
  const common = ['--registry', url, '--roots', 'roots.pem', '--folder', folder];
  python.type(`${JSON.stringify({ arguments: [command, ...common, ...options], input })}\n`);
  const { value } = await results.next();
  return JSON.parse(String(value));
});

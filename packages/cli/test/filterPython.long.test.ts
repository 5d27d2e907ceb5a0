// The Python package reads the downloads of a real service, and refuses the same lies as `provenance filter`.

import { fileURLToPath } from 'node:url';
import { describeFilterClient, downloads } from './support/filterClient.js';

const pythonPackage = fileURLToPath(new URL('../../../clients/python', import.meta.url));

describeFilterClient('the Python package', (folder, [first, ...rest], input = '') => {
  const [command, options] =
    first === '--update' ? ['update', rest] : ['filter', first === undefined ? [] : [first, ...rest]];
  const { machine, url } = downloads;
  const running = machine.spawn('env', [
    ...[`PYTHONPATH=${pythonPackage}`, 'PYTHONDONTWRITEBYTECODE=1'],
    ...['python3', '-m', 'provenance_registry', command],
    ...['--registry', url, '--roots', 'roots.pem', '--folder', folder, ...options],
  ]);
  running.process.stdin.end(input);
  return running.end;
});

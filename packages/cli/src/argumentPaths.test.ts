import { describe, expect, it } from 'vitest';
import { toAbsolutePath, toArgumentPaths } from './argumentPaths.js';

describe('a path argument', () => {
  it.each([
    ['photo.jpg', '/home/ada/photo.jpg'],
    ['./a/../b', '/home/ada/./a/../b'],
    ['photos/', '/home/ada/photos/'],
    ['/photo.jpg', '/photo.jpg'],
    ['', ''],
  ])('%j starts at the working directory, and is not normalized', (typed, path) => {
    expect(toAbsolutePath('/home/ada', typed)).toBe(path);
    expect(toAbsolutePath('/home/ada', Buffer.from(typed))).toEqual(Buffer.from(path));
  });

  it('in the root has one slash', () => {
    expect(toAbsolutePath('/', 'photo.jpg')).toBe('/photo.jpg');
  });

  it('that is not UTF-8 keeps its bytes, also beside others that look the same', () => {
    const [first, second] = [Buffer.from('a\xff', 'latin1'), Buffer.from('a\xfe', 'latin1')];
    const rawArguments = [Buffer.from('hash'), first, Buffer.from('b'), second];
    const process = { cwd: '/photos', readRawArguments: () => rawArguments };
    expect(toArgumentPaths(process, ['a\uFFFD', 'b', 'a\uFFFD'])).toEqual([
      { name: 'a\uFFFD', path: Buffer.concat([Buffer.from('/photos/'), first]) },
      { name: 'b', path: '/photos/b' },
      { name: 'a\uFFFD', path: Buffer.concat([Buffer.from('/photos/'), second]) },
    ]);
  });

  it('with a character for invalid UTF-8 that was typed stays as it is', () => {
    const process = { cwd: '/photos', readRawArguments: () => [] };
    expect(toArgumentPaths(process, ['a\uFFFD'])).toEqual([{ name: 'a\uFFFD', path: '/photos/a\uFFFD' }]);
  });
});

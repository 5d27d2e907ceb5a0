import { describe, expect, it } from 'vitest';
import { LogFormatError } from '../errors.js';
import { createVerifierKey, formatVerifierKey, parseVerifierKey } from './keys.js';
import { formatNote, parseNote, parseSignatures } from './note.js';

// The examples of c2sp.org/signed-note.
const key = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const line =
  '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';
const note = `This is an example message.\n\n${line}`;
const quotation =
  'Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n' +
  '— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n';

describe('a note', () => {
  it('ends at its last empty line', () => {
    expect(parseNote(note).text).toBe('This is an example message.\n');
    expect(parseNote(quotation).text).toMatch(/sole:\n\ned è subito sera\.\n$/);
    expect(formatNote(parseNote(quotation))).toBe(quotation);
  });

  it('has up to 64 signatures', () => {
    expect(parseNote(`text\n\n${line.repeat(64)}`).signatures).toHaveLength(64);
    expect(() => parseNote(`text\n\n${line.repeat(65)}`)).toThrow(LogFormatError);
  });

  it('may have the signatures of a future algorithm, of 5 kB each', () => {
    const long = `— example.com/future ${Buffer.alloc(5_004).toString('base64')}\n`;
    expect(parseNote(`text\n\n${long.repeat(16)}`).signatures).toHaveLength(16);
  });

  it.each([
    ['nothing', ''],
    ['no signature', 'text\n'],
    ['no signature after the empty line', 'text\n\n'],
    ['no empty line', `text\n${line}`],
    ['no text', line],
    ['no newline at the end', note.slice(0, -1)],
    ['an empty line at the end', `${note}\n`],
    ['a line that is no signature', `${note}text\n`],
    ['carriage returns', note.replaceAll('\n', '\r\n')],
    ['a tab', note.replace('an', '\tan')],
    ['a null character', note.replace('an', '\0an')],
    ['a lone surrogate', note.replace('an', '\ud83c')],
    ['a hyphen for the dash', note.replace('—', '-')],
    ['two spaces', note.replace('foo ', 'foo  ')],
    ['a space at the end of a line', note.replace('aQM=\n', 'aQM= \n')],
    ['a no-break space in a name', note.replace('/foo', '/f\u00a0o')],
    ['the next-line character in a name', note.replace('/foo', '/f\u0085o')],
    ['a plus sign in a name', note.replace('/foo', '/f+o')],
    ['no name', note.replace('example.com/foo', '')],
    ['no base64', note.replace('Uw2Q', 'U*2Q')],
    ['no padding', note.replace('aQM=\n', 'aQM\n')],
    ['unused bits', note.replace('aQM=\n', 'aQN=\n')],
    ['the other alphabet of base64', `text\n\n— a ${'-_'.repeat(4)}\n`],
    ['a key id without signature', 'text\n\n— a AAAAAA==\n'],
    ['more text than a reader takes', `${'x'.repeat(131_072)}\n\n${line}`],
  ])('is refused with %s', (_, text) => {
    expect(() => parseNote(text)).toThrow(LogFormatError);
  });

  it('accepts in a name what is neither space nor plus sign, as other readers do', () => {
    expect(parseSignatures(line.replace('/foo', '/\ufeffключ'))[0]?.name).toBe('example.com/\ufeffключ');
  });
});

describe('a verifier key', () => {
  it('has one form', () => {
    const parsed = parseVerifierKey(key);
    expect(parsed).toMatchObject({ name: 'example.com/foo', keyId: 0x530d903a, kind: 'log' });
    expect(formatVerifierKey(parsed)).toBe(key);
    expect(createVerifierKey(parsed.name, 'log', parsed.publicKey)).toEqual(parsed);
  });

  it('may contain plus signs in its base64', () => {
    const cosigner = 'witness.example/w1+b7ca19fe+BCk0ypSnkfID73RCwbtw1vTZbpRfImqHwhNn+5t4pM5j';
    expect(parseVerifierKey(cosigner)).toMatchObject({ name: 'witness.example/w1', kind: 'cosignature' });
  });

  it.each([
    ['nothing', ''],
    ['another name', key.replace('foo', 'bar')],
    ['another id', key.replace('530d', '530e')],
    ['an id in upper case', key.replace('530d', '530D')],
    ['another key', key.replace('Aeky', 'Aekz')],
    ['another type', key.replace('+Aeky', '+Beky')],
    ['a type that is not known', key.replace('+Aeky', '+Cuky')],
    ['a missing byte', key.slice(0, -4)],
    ['a further byte', `${key}AAAA`],
    ['unused bits', `${key.slice(0, -1)}l`],
    ['no name', key.replace('example.com/foo', '')],
    ['a space in its name', key.replace('com/', 'com ')],
    ['a newline at the end', `${key}\n`],
  ])('is refused with %s', (_, text) => {
    expect(() => parseVerifierKey(text)).toThrow(LogFormatError);
  });
});

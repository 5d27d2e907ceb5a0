import { expect, test } from 'vitest';
import { classifyAddress, isPrivateHost } from './fileAddress.js';

const hostOf = (url: string) => new URL(url).hostname;

test('addresses of the own machine and network are private in every spelling', () => {
  const spellings = [
    ...['http://localhost', 'http://LOCALHOST.', 'http://a.localhost', 'http://router', 'http://nas.local'],
    ...['http://127.1', 'http://0x7f000001', 'http://2130706433', 'http://017700000001', 'http://0.0.0.0'],
    ...[
      'http://10.0.0.1',
      'http://100.64.0.1',
      'http://169.254.169.254',
      'http://172.31.255.255',
      'http://192.168.1.1',
    ],
    ...['http://198.18.0.1', 'http://224.0.0.1', 'http://255.255.255.255'],
    ...['http://[::1]', 'http://[::]', 'http://[::ffff:192.168.1.1]', 'http://[fe80::1]', 'http://[fd00::1]'],
    ...['http://[64:ff9b::a00:1]', 'http://[2002:a00:1::]', 'http://[2001:0:a00:1::]', 'http://[2001::]'],
    ...['http://meta.internal', 'http://printer.lan', 'http://x.home.arpa'],
  ];
  expect(spellings.filter((url) => !isPrivateHost(hostOf(url)))).toEqual([]);
});

test('public addresses are not private', () => {
  const others = ['http://example.com', 'http://8.8.8.8', 'http://172.32.0.1', 'http://100.128.0.1'];
  const ipv6 = ['http://[2606:4700::1111]', 'http://[2001:4860:4860::8888]', 'http://[2a00:1450::1]'];
  expect([...others, ...ipv6].filter((url) => isPrivateHost(hostOf(url)))).toEqual([]);
});

test('a page leads the extension to public files, and to those of its own private host', () => {
  const classify = (url: string, page?: string) => {
    const address = classifyAddress(url, page);
    return address.kind === 'refused' ? address.reason : address.kind;
  };
  expect(classify('https://example.com/a.jpg#top', 'https://other.example/')).toBe('remote');
  expect(classify('http://192.168.1.1/a.jpg', 'http://192.168.1.1:8080/')).toBe('remote');
  expect(classify('http://192.168.1.1/a.jpg', 'https://other.example/')).toBe('private');
  expect(classify('http://192.168.1.1/a.jpg', 'http://192.168.1.2/')).toBe('private');
  expect(classify('http://192.168.1.1/a.jpg')).toBe('private');
  expect(classify('data:image/png;base64,AA==')).toBe('inline');
  expect(classify('blob:https://example.com/1')).toBe('blob');
  expect(classify('file:///etc/passwd')).toBe('file');
  expect(classify('https://ada:secret@example.com/a.jpg')).toBe('credentials');
  for (const url of ['javascript:alert(1)', 'chrome-extension://abc/panel.html', 'ftp://example.com/', '']) {
    expect(classify(url)).toBe('scheme');
  }
});

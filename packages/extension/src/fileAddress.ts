// Which addresses of files are fetched. A page chooses them: a click on it must not send requests into the user's own network.

export type RefusalReason = 'blob' | 'file' | 'scheme' | 'credentials' | 'private';

export type FileAddress =
  | { readonly kind: 'remote'; readonly url: URL }
  /** The file is in the address itself: nothing is fetched. */
  | { readonly kind: 'inline'; readonly url: URL }
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

/** @param pageUrl a page of a private host may show files of that host */
export function classifyAddress(text: string, pageUrl: string | undefined): FileAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  switch (url?.protocol) {
    case 'http:':
    case 'https:':
      if (url.username !== '' || url.password !== '') return { kind: 'refused', reason: 'credentials' };
      if (isPrivateHost(url.hostname) && !isSameHost(url, pageUrl)) return { kind: 'refused', reason: 'private' };
      url.hash = '';
      return { kind: 'remote', url };
    case 'data:':
      return { kind: 'inline', url };
    case 'blob:':
      return { kind: 'refused', reason: 'blob' };
    case 'file:':
      return { kind: 'refused', reason: 'file' };
    default:
      return { kind: 'refused', reason: 'scheme' };
  }
}

function isSameHost({ hostname }: URL, pageUrl: string | undefined): boolean {
  return pageUrl !== undefined && URL.canParse(pageUrl) && new URL(pageUrl).hostname === hostname;
}

/** Names that are never public (RFC 6762, 6761, 8375, and ICANN's `internal`). */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal|home\.arpa|lan|intranet)$/;

/**
 * Addresses and names of the user's own machine and network. Names that lead there by DNS are not recognized: extensions
 * cannot resolve names.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
  // The URL parser has turned all other forms, such as 0x7f.1, into this one.
  const ipv4 = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(host);
  if (ipv4) return isPrivateIpv4(Number(ipv4[1]), Number(ipv4[2]));
  return PRIVATE_NAMES.test(host) || !host.includes('.');
}

function isPrivateIpv4(first: number, second: number): boolean {
  return (
    [0, 10, 127].includes(first) ||
    first >= 224 ||
    (first === 100 && second >= 64 && second <= 127) ||
    (first === 169 && second === 254) ||
    (first === 172 && second >= 16 && second <= 31) ||
    (first === 192 && second === 168) ||
    (first === 198 && (second === 18 || second === 19))
  );
}

/** Only 2000::/3 is public, and in it not the addresses that contain an IPv4 address. */
function isPrivateIpv6(address: string): boolean {
  const first = Number.parseInt(address.split(':')[0] || '0', 16);
  return first < 0x2000 || first > 0x3fff || first === 0x2002 || address.startsWith('2001:0:') || address === '2001::';
}

/** Empty for a text that is not an address. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : '';
}

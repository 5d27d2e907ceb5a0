// The URL of a node, which may hold an API key or a password.

/** Shorter parts of a URL, such as `v2` and `rpc`, are words and no secrets. */
const MIN_SECRET_LENGTH = 6;

export interface NodeUrl {
  /** The URL without user name and password: fetch rejects URLs that have them. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Removes every part of the URL that may be a secret; some nodes repeat the API key in their errors. */
  redact(text: string): string;
}

/** Throws a TypeError that does not contain the URL. */
export function parseNodeUrl(text: string): NodeUrl {
  if (!URL.canParse(text)) throw new TypeError('The URL of the node is not a valid URL.');
  const url = new URL(text);
  const { username, password, pathname, searchParams } = url;
  const [name, word] = [decode(username), decode(password)];
  url.username = '';
  url.password = '';
  const secrets = [text, name, word, password, ...pathname.split('/'), ...searchParams.values()].filter(
    ({ length }) => length >= MIN_SECRET_LENGTH,
  );
  const authorization = username || password ? { authorization: `Basic ${base64(`${name}:${word}`)}` } : {};
  return {
    endpoint: url.href,
    headers: { 'content-type': 'application/json', ...authorization },
    redact: (message) => secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '…'), message),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

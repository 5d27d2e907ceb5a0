// What the user asked to be checked: passed from the menu to the panel, which takes it once.

export const menuItems = ['image', 'audio', 'link'] as const;
export type MenuItem = (typeof menuItems)[number];

export interface CheckRequest {
  readonly item: MenuItem;
  /** Address of the file, as the page named it at the time of the click. */
  readonly url: string;
  /** Address of the page, or of the frame in it; undefined if Chromium does not tell. */
  readonly pageUrl: string | undefined;
}

/** Chromium keeps 10 MB for all requests together. Longer addresses are `data:` URLs of whole files. */
const MAX_URL_LENGTH = 4_000_000;

const keyOf = (id: string) => `request-${id}`;

/** Returns the id under which the panel takes it. Undefined if the address is too long to be passed on, or the place is full. */
export async function putRequest(request: CheckRequest): Promise<string | undefined> {
  if (request.url.length > MAX_URL_LENGTH) return undefined;
  const id = crypto.randomUUID();
  return chrome.storage.session.set({ [keyOf(id)]: request }).then(
    () => id,
    () => undefined,
  );
}

/** Undefined if there is none, or it was taken already. */
export async function takeRequest(id: string): Promise<CheckRequest | undefined> {
  const key = keyOf(id);
  const { [key]: stored } = await chrome.storage.session.get(key);
  await chrome.storage.session.remove(key);
  return isRequest(stored) ? stored : undefined;
}

function isRequest(value: unknown): value is CheckRequest {
  if (typeof value !== 'object' || value === null) return false;
  const { item, url, pageUrl }: Partial<Record<keyof CheckRequest, unknown>> = value;
  return isMenuItem(item) && typeof url === 'string' && (pageUrl === undefined || typeof pageUrl === 'string');
}

export function isMenuItem(value: unknown): value is MenuItem {
  return menuItems.some((item) => item === value);
}

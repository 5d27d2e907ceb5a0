// Which profile belongs to a registry: each registry keeps its own login.

import type { Config, Profile } from './configSchema.js';

export const DEFAULT_URL = 'http://127.0.0.1:8080';
export const DEFAULT_PROFILE = 'default';

export function isProfileOf({ url: ownUrl = DEFAULT_URL }: Profile, url: string): boolean {
  return URL.canParse(ownUrl) && URL.canParse(url) && new URL(ownUrl).href === new URL(url).href;
}

/**
 * Chooses the profile to use for a registry from now on: one of the registry, the current one if no login would be lost,
 * or a new one. A profile with an API key is only used by its name.
 */
export async function chooseProfileFor({ profiles }: Config, current: string, url: string): Promise<string> {
  const { apiKeyPattern } = await import('@provenance-registry/core');
  const { token, ...profile } = profiles[current] ?? {};
  if (isProfileOf(profile, url)) return current;
  const [existing] =
    Object.entries(profiles).find(([, other]) => isProfileOf(other, url) && !apiKeyPattern.test(other.token ?? '')) ??
    [];
  if (existing !== undefined) return existing;
  return token === undefined ? current : findFreeName(profiles, url);
}

/** The host, in characters that the name of a systemd unit can have. */
function findFreeName(profiles: Config['profiles'], url: string): string {
  const host = new URL(url).host.replaceAll(/[^\w.-]/g, '-');
  let name = host;
  for (let number = 2; Object.hasOwn(profiles, name); number += 1) name = `${host}-${number}`;
  return name;
}

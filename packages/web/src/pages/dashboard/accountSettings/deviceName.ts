// A readable name for the client that a User-Agent describes.

import * as texts from '#texts/accounts/account';

/** The first that matches: most browsers also name those that they are compatible with. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** Such as "Firefox on Windows"; for other programs what they call themselves, such as "curl 8.5.0". */
export function deviceName(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return texts.unknownDevice;
  const browser = findName(browsers, userAgent);
  const system = findName(systems, userAgent);
  if (browser !== undefined && system !== undefined) return texts.browserOnSystem(browser, system);
  const [, program, version] = /^([^\s/]+)(?:\/(\d[\w.]*))?/.exec(userAgent) ?? [];
  if (browser !== undefined || program === undefined || program === 'Mozilla') return browser ?? texts.unknownBrowser;
  return version === undefined ? program : `${program} ${version}`;
}

function findName(names: readonly (readonly [RegExp, string])[], userAgent: string): string | undefined {
  return names.find(([pattern]) => pattern.test(userAgent))?.[1];
}

// What is wrong with a fingerprint that a user has entered.

export const isEmpty = (digits: number) => `Enter a fingerprint: ${digits} hexadecimal digits (0–9, a–f).`;
export const hasSpace = 'It contains a space. A fingerprint has only hexadecimal digits (0–9, a–f).';
export const hasInvalid = (character: string) =>
  `It contains “${character}”. A fingerprint has only hexadecimal digits (0–9, a–f).`;
export const hasTooMany = (length: number, excess: number, digits: number) =>
  `It has ${length} digits, ${excess} too many: a fingerprint has ${digits}.`;
export const hasTooFew = (length: number, missing: number, digits: number) =>
  `It has ${length} digits, ${missing} too few: a fingerprint has ${digits}.`;

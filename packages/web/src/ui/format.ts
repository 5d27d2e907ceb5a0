// Numbers as people say them.

export const whole = new Intl.NumberFormat();
const rounded = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const units = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];

export function sizeOf(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  if (bytes === 1) return '1 byte';
  return `${rounded.format(bytes / 1000 ** power)} ${units[power]}`;
}

/** "1 file", "2 files". */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${whole.format(number)} ${number === 1 ? one : many}`;
}

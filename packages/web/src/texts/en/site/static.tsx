// Texts of documents without the application: the API reference.

export const copied = 'Copied';
export const copyFailed = 'Copy failed';
export const operationCount = (count: number) =>
  count === 0 ? 'No operation matches.' : count === 1 ? '1 operation matches.' : `${count} operations match.`;

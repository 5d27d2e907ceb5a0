// Units of numbers, and the language in which numbers and dates are formatted: that of the texts around them.

export const language = 'en-US';
export const sizeUnits = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];
export const oneByte = '1 byte';

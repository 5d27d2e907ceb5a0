// What is wrong with the fields of forms.

export const noEmail = 'Enter an email address.';
export const invalidEmail = 'Enter a valid email address, such as ada@example.com.';
export const noPassword = 'Enter your password.';
export const tooShort = (minLength: number) => `Use at least ${minLength} characters.`;
export const noCode = 'Enter the code.';
export const noName = 'Enter a name.';
export const tooLong = (maxLength: number) => `Use at most ${maxLength} characters.`;
export const invisibleCharacters = 'The name contains invisible characters.';
export const noCount = 'Enter a whole number, 0 or more.';
export const noDomain = 'Enter a domain.';
export const invalidDomain = 'Enter the domain alone, such as example.org.';

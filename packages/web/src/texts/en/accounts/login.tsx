// Texts of the pages for logging in, signing up, passwords and the verification of email addresses.

import type { ReactNode } from 'preact/compat';

export const logIn = 'Log in';
export const loggingIn = 'Logging in …';
export const signUp = 'Sign up';
export const signingUp = 'Signing up …';
export const back = 'Back';
export const emailAddress = 'Email address';
export const expired = 'Your session has expired. Log in to continue where you left off.';
export const forgotPasswordLink = 'Forgot password?';
export const noAccount = (link: ReactNode) => <>No account yet? {link}</>;
export const hasAccount = (link: ReactNode) => <>Already have an account? {link}</>;
export const wrongCredentials = 'Wrong email or password.';

export const useApp = 'Use your authenticator app';
export const useRecoveryCode = 'Use a recovery code';
export const recoveryCode = 'Recovery code';
export const recoveryCodeHint = 'One of the codes that you saved when you set up the second factor. Each works once.';
export const appCode = 'Code of your authenticator app';
export const appCodeHint = (email: string) => `Logging in as ${email} needs a second factor.`;

export const signUpLead = 'Create an account to register files. Verifying files needs no account.';
export const yourName = 'Your name';
export const yourNameHint = 'Shown next to files that you register under public Marks.';
export const passwordHint = (minLength: number) => `At least ${minLength} characters.`;
export const emailTaken = 'This email address already has an account. Log in instead.';

export const forgotPassword = 'Forgot password';
export const forgotPasswordLead = 'Enter the email address of your account to get a link that sets a new password.';
export const sendLink = 'Send link';
export const sendingLink = 'Sending …';
export const noMail = 'This service sends no mail';
export const askOperator = 'Ask its operator for a link that sets a new password.';
export const checkMail = 'Check your mail';
export const resetLinkSent = (email: ReactNode) => (
  <>If {email} has an account, a mail with a link is on its way. The link is valid for one hour.</>
);
export const backToLogIn = 'Back to log-in';

export const resetPassword = 'Reset password';
export const resetPasswordLead = 'You will be logged out on all devices.';
export const invalidResetLink = 'This link is not valid';
export const invalidResetLinkReason = 'It was used already, is older than one hour, or is incomplete.';
export const requestLink = 'Request another link';
export const passwordChanged = 'Your password is changed. Log in with the new one.';
export const changePassword = 'Change password';
export const changingPassword = 'Changing …';
export const newPassword = 'New password';

export const verifyEmail = 'Verify email address';
export const verifyingEmail = 'Verifying your email address …';
export const emailVerified = 'Your email address is verified.';
export const emailTakenMeanwhile = 'Another account has taken this email address in the meantime. Choose another one.';
export const invalidEmailLink =
  'This link is not valid: it was used already, is older than 24 hours, or is incomplete. If your address is not verified yet, request another mail on the page of your account.';
export const toDashboard = 'Continue to the dashboard';

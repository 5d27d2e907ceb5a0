// Texts of the frame of the dashboard.

export const label = 'Dashboard';
export const tabs = {
  overview: 'Overview',
  register: 'Register',
  files: 'My files',
  marks: 'Marks',
  claims: 'Claims',
  organizations: 'Organizations',
  keys: 'API keys',
  webhooks: 'Webhooks',
  account: 'Account',
};
export const yourAccount = 'your account';
export const logIn = 'Log in';
export const expired = 'Your session has expired';
export const workIsPaused = 'Your work is paused. It continues when you log in.';
export const logInToContinue = 'Log in to continue';
export const nothingIsLost = 'Your session has expired. Your work is paused, and nothing is lost.';

// Texts of the settings of the account.

import type { ReactNode } from 'preact/compat';

export const settings = 'Account settings';
export const profile = 'Profile';
export const email = 'Email address';
export const password = 'Password';
export const secondFactor = 'Second factor';
export const sessions = 'Sessions';
export const tier = 'Tier';
export const data = 'Your data';

export const cancel = 'Cancel';
export const changing = 'Changing …';
export const changed = 'Changed.';
export const currentPassword = 'Current password';
export const wrongPassword = 'Wrong password.';
export const noPassword =
  'Your account belongs to an OpenID provider and has no password here. Use the settings of the provider.';

export const yourName = 'Your name';
export const yourNameHint =
  'Shown next to files that you register under public Marks. Files that are already registered keep the name that was signed with them.';
export const save = 'Save';
export const saving = 'Saving …';
export const saved = 'Saved.';

export const noEmail = 'Your account has no email address.';
export const verified = 'Verified';
export const notVerified = 'Not verified';
export const emailTaken =
  'This email address already has an account. If you log in through an OpenID provider, change your address there.';
export const sameEmail = 'This is your current email address.';
export const changeEmail = 'Change email address';
export const newEmail = 'New email address';
export const checkMail = 'Check your mail';
export const linkSent = (address: ReactNode) => (
  <>
    Open the link that is sent to {address} to complete the change. Until then your address stays as it is. No mail is
    sent if the address belongs to another account.
  </>
);

export const passwordLead = 'Changing your password logs you out on all other devices. API keys keep working.';
export const changePassword = 'Change password';
export const newPassword = 'New password';
export const newPasswordHint = (minLength: number) => `At least ${minLength} characters.`;

export const logOut = 'Log out';
export const logOutQuestion = 'Log out now?';
export const filesInProgress = (count: number) =>
  count === 1
    ? '1 file in your list is still in progress. The list stays in this browser and continues when you log in again.'
    : `${count} files in your list are still in progress. The list stays in this browser and continues when you log in again.`;
export const loggedOut = 'You are logged out.';
export const sessionMayLive =
  'You are logged out of this browser, but the service could not be reached to end the session. It expires by itself within seven days; to end it sooner, log in again and open Sessions in your account.';

export const sessionsLead = (link: ReactNode) => (
  <>Where you are logged in. If you do not recognize one, end it and {link}.</>
);
export const changeYourPassword = 'change your password';
export const theSessions = 'sessions';
export const thisSession = 'This session';
export const lastUsed = (time: ReactNode) => <>Last used {time}</>;
export const loggedIn = (day: ReactNode) => <>Logged in {day}</>;
export const end = 'End';
export const endSession = 'End session';
export const endSessionEffect = 'This device is logged out immediately.';
export const sessionEnded = 'The session is ended.';
export const logOutElsewhere = 'Log out everywhere else';
export const logOutElsewhereQuestion = 'Log out everywhere else?';
export const logOutElsewhereEffect = "All sessions but this one end immediately. Organizations' API keys keep working.";
export const loggedOutElsewhere = 'You are logged out everywhere else.';
export const unknownDevice = 'Unknown device';
export const unknownBrowser = 'Unknown browser';
export const browserOnSystem = (browser: string, system: string) => `${browser} on ${system}`;

export const secondFactorLead =
  'With a second factor, logging in needs a code of an authenticator app on your phone in addition to your password.';
export const setUp = 'Set up a second factor';
export const continueSetup = 'Continue';
export const pleaseWait = 'Please wait …';
export const addToApp = 'Add this account to your app';
export const scanCode = 'Scan the QR code with an authenticator app.';
export const qrCode = 'QR code with the secret of the second factor';
export const enterSecret = (secret: ReactNode) => <>Or enter this secret in the app: {secret}</>;
export const theSecret = 'secret';
export const setupReplaced = 'This set-up was replaced by another one. Cancel it, then start again.';
export const code = 'Code';
export const codeHint = 'The six digits that the app shows now.';
export const turnOn = 'Turn on';
export const checking = 'Checking …';
export const factorIsOn = 'The second factor is on.';
export const on = 'On';
export const onMeaning = 'Logging in needs a code of your authenticator app or a recovery code.';
export const newCodes = 'To get new recovery codes, remove the second factor and set it up again.';
export const removeFactor = 'Remove second factor';
export const removeFactorQuestion = 'Remove the second factor?';
export const removeFactorEffect = 'Logging in will need your password alone. Your recovery codes stop working.';
export const removing = 'Removing …';
export const factorRemoved = 'The second factor is removed.';

export const saveCodes = 'Save your recovery codes';
export const codesMeaning =
  'Each of these codes works once instead of a code of your app, for example when you lose your phone. Keep them in a safe place. They cannot be shown again.';
export const codesFor = (account: string) => `Recovery codes for ${account}`;
export const codesWorkOnce = 'Each code works once.';
export const download = 'Download';
export const print = 'Print';
export const theCodes = 'recovery codes';
export const codesSaved = 'I have saved them';

export const exportData = 'Export your data';
export const exportContent =
  'Everything that this service has stored about you, as one JSON file: account, sessions, organizations, Marks, API keys, invitations, events and the files that you registered.';
export const startExport = 'Export data';
export const exporting = 'Exporting …';
export const exported = 'The export is downloaded.';
export const closeAccount = 'Close account';
export const closeAccountStart = 'Close account …';
export const closeAccountEffect =
  'Erases your email address, name and password here. Registered files stay registered, with the name that was signed with them. This cannot be undone.';
export const closeQuestion = 'Close your account?';
export const closing = 'Closing …';
export const closed = 'Your account is closed.';
export const erased = 'Erased for good';
export const erasedList = [
  'Your email address, name, password and second factor.',
  'Your sessions, on all devices, and the API keys of organizations that you own.',
  'Your memberships of organizations and Marks; admin roles pass to their owners.',
  'Invitations that you made.',
];
export const stays = 'Stays';
export const staysList = [
  'Files that you registered, with the name that was signed with them. Published files and entries on chain cannot be taken back; entries on chain contain no name.',
  'Your own Marks: readable and closed. Nothing can be registered under them.',
  'Organizations that you own alone, with their names and Marks.',
  'The history of events, which names you by the ID of your account only.',
];
/** What the user types, in any case. */
export const confirmation = 'close my account';
export const typeConfirmation = `Type “${confirmation}” to confirm`;
export const confirmationDiffers = `Type “${confirmation}”.`;
export const logInAgain =
  'Log in at your OpenID provider again: closing the account needs a log-in of the last ten minutes.';
export const ownsOrganization =
  'You own an organization with other members. Transfer it to one of them or remove them, then try again.';

export const tierByOperator = 'Tiers are set by the operator of this service. Contact them to change yours.';
export const currentTier = 'Current tier';
export const chooseTier = (name: string) => `Choose ${name}`;
export const nowOnTier = (name: string) => `You are now on the ${name} tier.`;
export const leaveEnterprise = 'Leave the Enterprise tier?';
export const leaveEnterpriseEffect = (count: number) =>
  `This freezes ${count === 1 ? '1 organization' : `${count} organizations`} of yours immediately: all other members, purchased usage units and webhooks are removed, files cannot be registered, and API keys stop working. Members, usage units and webhooks are not restored automatically.`;
export const unlimited = 'Unlimited';
export const unlimitedFiles = 'Unlimited files';
export const fileLimits = (daily: string, total: string) => `${daily} files per day, ${total} in total`;
export const markCount = (count: string) => `${count} Marks`;
export const privateMarks = 'Private Marks';
export const publicMarksOnly = 'Public Marks only';
export const marksEditable = 'Marks can be edited';
export const marksNotEditable = 'Marks cannot be edited';
export const keysPerOrganization = (count: number) => `${count} API keys per organization`;
export const noKeys = 'No API keys';
export const noOrganizations = 'No organizations';
export const oneOrganization = (members: string) => `1 organization, ${members.toLowerCase()} members each`;
export const organizationCount = (count: string, members: string) =>
  `${count} organizations, ${members.toLowerCase()} members each`;

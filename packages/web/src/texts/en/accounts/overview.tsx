// Texts of the first page of the dashboard, and of the first steps there.

import type { ReactNode } from 'preact/compat';

export const title = 'Dashboard';
export const welcome = (name: ReactNode) => <>Welcome, {name}</>;
export const frozen = (organization: ReactNode) => (
  <>The organization {organization} is frozen: files cannot be registered under its Marks.</>
);
export const marks = 'Marks';
export const yourMarks = 'Your Marks';
export const registerFiles = 'Register files';

export const firstSteps = 'Register your first file';
export const firstStepsLead = 'Three steps, and about a minute.';

export const nameStep = 'Name your Mark';
export const nameStepText = 'A Mark is the name under which you register files: yours, or that of a project or studio.';
export const markName = 'Name of your Mark';
export const markNameHint =
  'Anyone can see it with the files under it. It states no license and allows all uses by AI, as new Marks do. To choose these, open all options.';
export const createMark = 'Create Mark';
export const creatingMark = 'Creating …';
export const markCreated = 'Mark created. Now choose a file.';
export const allOptions = 'All options';
export const markIs = (mark: ReactNode) => <>Your Mark is {mark}.</>;

export const fileStep = 'Choose a file';
export const fileStepText =
  'Any file that you made. It stays on this device: its fingerprint, name, type, size and date are sent, and codes of what a picture or recording is like.';
export const chooseFile = 'Choose a file';
export const chooseAnother = 'Choose another file';
export const dropHint = 'Or drop it anywhere on this page.';
export const chosenFile = (file: ReactNode) => <>You chose {file}.</>;

export const registerStep = 'See it registered';
export const registerStepText =
  'The file is written to the chain under your Mark. From then on, anyone who has the same file finds it here.';
export const permanent = (file: ReactNode, mark: ReactNode) => (
  <>
    {file} will be registered under {mark}. This is permanent: neither the file nor its Mark can be changed later.
  </>
);
export const register = 'Register this file';
export const openList = 'Open the list';
export const progress = {
  waiting: 'Waiting …',
  hashing: 'Your browser computes the fingerprint …',
  sending: 'Registering …',
  pending: 'Recorded. It is being written to the chain …',
  submitting: 'Recorded. It is being written to the chain …',
};
export const stopped = 'Registration has stopped. The list says why.';
export const registered = 'Your first file is registered';
export const registeredText =
  'It is on the chain now. Send its link to anyone, or let them drop the same file on the front page.';
export const alreadyYours = 'You have registered this file before';
export const alreadyOthers = 'Another user has registered this file already';
export const alreadyOthersText =
  'The first registration of a file stands. Choose a file that only you have, or contest the registration on its page.';
export const failed = 'The file could not be registered';
export const missing = 'The page was closed before the file was registered. Choose it again.';
export const viewFile = 'View its page';
export const theLink = 'the link of the file';
export const registerMore = 'Register more files';
export const tryAgain = 'Try again';

// Texts of the user's own claims, and of the form for a new one.

export const title = 'Claims';
export const lead =
  'Users who disagree with a registration contest it on the page of the file. Claims and answers are public, and stay.';
export const received = 'To your files';
export const noneReceived = 'No file under your Marks is contested.';
export const made = 'Made by you';
export const noneMade = 'You have not contested any registration.';
export const claims = 'claims';
export const loadOlder = 'Load older';
export const loading = 'Loading …';

export const newTitle = 'Contest a registration';
export const newLead =
  'Your claim is public and permanent, with your name. It never changes who registered the file first. With older evidence from a source that this registry trusts, the file is shown as contested everywhere.';
export const artifact = 'Artifact';
export const registration = 'The registration';
export const yourClaim = 'Your claim';
export const file = 'File';
export const mark = 'Mark';
export const privateMark = 'Private';
export const registered = 'Registered';

export const evidence = 'Your evidence';
export const kinds = {
  timestamp: {
    label: 'A time-stamp',
    hint: 'A time-stamp token or response (RFC 3161) of the SHA-256 of exactly this file.',
  },
  manifest: {
    label: 'A C2PA manifest',
    hint: 'Content Credentials with a time-stamp: the file with its manifest inside, or the manifest as a file.',
  },
  'chain-entry': { label: 'An entry on chain', hint: 'An earlier entry for this file in the public registry.' },
  statement: { label: 'No evidence', hint: 'Only your statement. The file is not shown as contested.' },
} as const;
export const invalidAccount = 'Enter an account: 0x and 40 hexadecimal digits.';
export const published = 'Your claim is published.';
export const fileMissing = 'Choose the file with your evidence.';
export const publish = 'Publish claim';
export const checking = 'Checking your evidence …';
export const fileLabel = 'File with your evidence';
export const fileHint =
  'It must be at least five minutes older than the registration. The time-stamp or manifest in it becomes public.';
export const accountLabel = 'Account that wrote the entry (optional)';
export const accountHint = 'The entry must be at least five minutes older than the registration.';
export const statementLabel = 'Your statement';
export const statementHint = 'Why you contest the registration, and how you can be believed. Public.';
export const speakerLabel = 'You speak for';
export const speakerHint = 'The file can be conceded to a Mark only.';
export const myself = 'Myself';

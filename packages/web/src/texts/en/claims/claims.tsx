// Texts of claims and of what both sides can do about them.

import type { ReactNode } from 'preact/compat';

export const claimOf = (name: string) => `Claim of ${name}`;
export const aboutFile = (file: ReactNode) => <>About the file {file}</>;
export const forMark = (mark: ReactNode) => <>For the Mark {mark}</>;
export const claimed = (time: ReactNode) => <>Claimed {time}</>;
export const statuses = { open: 'Open', withdrawn: 'Withdrawn', superseded: 'Conceded' };
export const evidenceStates = {
  checked: 'Checked evidence',
  unchecked: 'Unchecked evidence',
  none: 'Statement only',
};
const evidenceNames = {
  statement: 'Statement',
  timestamp: 'Time-stamp',
  manifest: 'C2PA manifest',
  'chain-entry': 'Entry in the public registry on chain',
};

interface EvidenceLine {
  readonly kind: keyof typeof evidenceNames;
  readonly isChecked: boolean;
  readonly time: ReactNode | null;
  readonly source: ReactNode | null;
}

/** "Time-stamp of June 1, 2026, by FreeTSA". */
export const evidenceLine = ({ kind, isChecked, time, source }: EvidenceLine) => (
  <>
    <strong>{evidenceNames[kind]}</strong>
    {time !== null && (
      <>
        {isChecked ? ' of ' : ', which states '}
        {time}
      </>
    )}
    {source !== null && (
      <>
        {time === null ? ', ' : ', by '}
        {source}
      </>
    )}
  </>
);
export const noEvidence = 'No evidence besides this statement.';
export const isChecked =
  'This service checked that it is about exactly this file, older than the registration, and from a source that its operator trusts.';
export const isUnchecked = 'Not checked: nothing is known about its time.';
export const downloadEvidence = (link: (text: string) => ReactNode, quiet: (text: string) => ReactNode) => (
  <>
    {link('Download the evidence')}
    {quiet(' to check it yourself')}
  </>
);
export const entryAt = (title: ReactNode, time: ReactNode, quiet: (text: ReactNode) => ReactNode) => (
  <>
    {title}
    {quiet(<>, {time}</>)}
  </>
);
export const answerOf = (name: ReactNode) => <strong>Answer of the Mark’s admin {name}</strong>;
export const withdrawnBy = (name: ReactNode) => <strong>Withdrawn by the claimant {name}</strong>;
export const concededBy = (name: ReactNode, mark: ReactNode | null) => (
  <>
    <strong>Conceded by the Mark’s admin {name}</strong>
    {mark !== null && <> to the Mark {mark}</>}
  </>
);
export const operatorNote = <strong>Note of the operator of this registry</strong>;

// Actions.

export const answer = {
  button: 'Answer',
  title: 'Answer this claim',
  label: 'Your answer',
  action: 'Publish answer',
  done: 'The answer is published.',
  text: 'Your answer is public and cannot be changed or removed. The claim stays open.',
};
export const withdraw = {
  button: 'Withdraw claim',
  title: 'Withdraw this claim?',
  label: 'Reason (optional)',
  action: 'Withdraw claim',
  done: 'The claim is withdrawn.',
  text: 'The claim stays visible as withdrawn, and no longer counts. It cannot be opened again.',
};
export const concede = {
  button: 'Concede',
  title: 'Concede this file?',
  label: 'In your words (optional)',
  action: 'Concede file',
  done: 'The file is conceded.',
  text: (mark: ReactNode) => (
    <>
      The file is shown as conceded to the Mark {mark} from then on. It stays registered under your Mark. This cannot be
      undone.
    </>
  ),
};
export const enterText = 'Enter a text.';
export const tooLong = (characters: number) => `Use at most ${characters} characters.`;
export const hasInvisible = 'The text contains invisible characters.';

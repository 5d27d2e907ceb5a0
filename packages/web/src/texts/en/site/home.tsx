// Texts of the front page before a file is chosen.

import type { ReactNode } from 'preact/compat';

export const statement =
  'Put your name and a provable date on a file, or find out who registered it, without uploading it.';

export const steps = 'Three steps';
export const hash = {
  title: 'Hashed in your browser',
  text: (fingerprint: ReactNode) => (
    <>
      Your browser computes the {fingerprint} of your file: 64 digits that stand for exactly this file. The file itself
      stays on your device.
    </>
  ),
};
export const register = {
  title: 'Registered under your Mark',
  text: (mark: ReactNode, chain: ReactNode, artifact: ReactNode) => (
    <>
      Your {mark} is the name under which you register: yours, or that of a project. The fingerprint is signed together
      with it and written to a {chain}, with the time. This record is called an {artifact}.
    </>
  ),
};
export const check = {
  title: 'Found by anyone who has the file',
  text: 'Anyone who drops the same file here sees your Mark, the date, your license and what you allow AI to do with it, and can check it without trusting us.',
};
export const terms = { fingerprint: 'fingerprint', mark: 'Mark', chain: 'blockchain', artifact: 'Artifact' };

export const signUpTitle = 'Register your first file in a minute';
export const signUpText = 'All you need is an account. Checking files needs none.';
export const signUp = 'Sign up and register a file';
export const toDashboard = 'Register a file';
export const moreAbout = 'How it works in detail';

export const example = 'What others see';
export const exampleText =
  'This is an example. The page of a registered file also has its manifest, a certificate and the evidence to check.';
export const exampleBadge = 'Example';
export const exampleTitle = (mark: ReactNode) => <>Registered under the Mark {mark}</>;
export const exampleMark = 'Harbor Light Photography';
export const exampleFacts: readonly (readonly [name: string, value: string])[] = [
  ['Identity', 'harborlight.example, a domain that was verified'],
  ['Registered since', 'March 14, 2026, 09:26 UTC'],
  ['License', 'Creative Commons Attribution 4.0 International'],
  ['AI training', 'Not allowed'],
];
export const exampleFingerprint = 'Fingerprint';

export const proofs = 'What this proves, and what it does not';
export const proves = 'It proves';
export const provenFacts = [
  'that exactly this file existed when its fingerprint was written to the chain;',
  'under which Mark it was registered, and what its registrant said about license and AI;',
  'that the entry on the chain was not changed since, neither by the registrant nor by us.',
];
export const doesNotProve = 'It does not prove';
export const unprovenFacts = [
  'who made the file, or who holds its copyright;',
  'that the name of a Mark is a true name, unless it has a verified domain;',
  'that no one had the file earlier.',
];

export const alternatives = 'Compared with the alternatives';
export const alternativesLead =
  'Each of these does something better. Many of them go well together with a registration.';
export const better = 'Better';
export const weaker = 'Weaker';

interface Alternative {
  readonly name: string;
  readonly better: string;
  readonly weaker: string;
}

export const alternativeList: readonly Alternative[] = [
  {
    name: 'Posting it online',
    better: 'It reaches your audience at once, and archives may keep a copy.',
    weaker:
      'The file is public. Its date is the word of the platform, posts disappear, and a finder cannot get from the file to the post.',
  },
  {
    name: 'Mailing it to yourself, or a notary',
    better: 'A notary checks who you are, and courts know the form.',
    weaker:
      'An envelope to yourself proves little: it may have been sent open. A notary takes time and a fee for each file. Neither can be found by the file.',
  },
  {
    name: 'Deposit at a copyright office',
    better:
      'It has legal effect where the law says so: in the United States, works of US origin need it before a lawsuit.',
    weaker: 'A fee, weeks of waiting, and a copy of the work for the office. It is not found by the file.',
  },
  {
    name: 'Time-stamps alone, such as OpenTimestamps',
    better: 'No account, no fee, and no operator to rely on: only Bitcoin.',
    weaker:
      'They say when, not who or under which license. You have to keep the proof, and others cannot look the file up.',
  },
  {
    name: 'Content Credentials alone',
    better: 'They travel inside the file, with its edits, and cameras and editors write them.',
    weaker:
      'Most platforms remove them on upload, and then nothing leads back to you. Here, registrations can be found by the file, and many pictures and recordings by a look-alike.',
  },
  {
    name: 'A registration here',
    better: 'Date, name, license and AI preferences in one record that anyone finds by the file alone and can check.',
    weaker:
      'Names of Marks are free to choose unless a domain is verified, the service does not examine who made the file, and no law gives it a special effect.',
  },
];

export const questions = 'Questions';

export interface Question {
  /** The fragment of its address. */
  readonly id: string;
  readonly question: string;
  readonly answer: ReactNode;
}

/** Those that most visitors ask; the page of all questions begins with them. */
export const firstQuestions: readonly Question[] = [
  {
    id: 'upload',
    question: 'Is my file uploaded?',
    answer: (
      <p>
        No. Your browser computes its fingerprint, and only that is sent: when you check a file, only the first digits
        of it, unless the file is registered. A file is sent only if you ask for a signed copy, and it is not stored
        then either. To search for look-alikes, a few short codes of a picture or recording are sent. You can turn that
        off.
      </p>
    ),
  },
  {
    id: 'proof',
    question: 'Does a registration prove that I made the file?',
    answer: (
      <p>
        No. It proves that the file existed at that time, and that it was registered under your Mark. The first
        registrant may have got the file from another person. What makes a registration strong is that it is early:
        register your work before you publish it.
      </p>
    ),
  },
  {
    id: 'taken',
    question: 'Another user has registered my file. What can I do?',
    answer: (
      <p>
        The first registration stays. You can contest it on its page, with a statement and with older evidence, such as
        a time-stamp. The registrant can answer or concede, and everyone who looks the file up sees that it is
        contested.
      </p>
    ),
  },
  {
    id: 'end',
    question: 'What if this service shuts down?',
    answer: (
      <p>
        The entry on the chain stays, and so does your proof if you keep the file and its evidence bundle, which you can
        download. <a href="/docs/verify-without-us">Verify without us</a> shows how to check both with other tools.
      </p>
    ),
  },
];

export const allQuestions = 'All questions and answers';

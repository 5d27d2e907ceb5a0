// Questions and answers beyond those on the front page.

import type { Question } from './home.js';

export const title = 'Questions and answers';
export const lead = 'Short answers. The docs have the long ones.';
export const topics = { basics: 'Basics', registering: 'Registering', checking: 'Checking a file' };

export const registering: readonly Question[] = [
  {
    id: 'mark',
    question: 'What is a Mark?',
    answer: (
      <p>
        The name under which you register files: your own, that of a project, or of a studio. It has a license and
        preferences about AI, which apply to the files under it. Everyone can choose any name, so a Mark also shows
        whether a domain is verified for it. You can have several.
      </p>
    ),
  },
  {
    id: 'undo',
    question: 'Can I undo a registration?',
    answer: (
      <p>
        No. That is what makes it evidence. You can hide the name and size of the file, and make the Mark private on a
        tier that has private Marks. What was signed and published before stays as it is.
      </p>
    ),
  },
  {
    id: 'edit',
    question: 'What if I change the file?',
    answer: (
      <p>
        Every change makes another file with another fingerprint. Register the new version too: the dashboard takes
        whole folders at once. Keep the original as it was. Some programs change a file when they only open and save it.
      </p>
    ),
  },
  {
    id: 'types',
    question: 'Which files can I register?',
    answer: (
      <p>
        Any: photos, videos, music, texts, code, archives, of any size that your browser can read. Look-alikes are found
        for pictures and recordings, and signed copies exist for common image formats.
      </p>
    ),
  },
  {
    id: 'visible',
    question: 'What do others see?',
    answer: (
      <p>
        Under a public Mark: its name, your name, the date, the license, and the name, type and size of the file, never
        its content. Under a private Mark: that the file is registered, and since when.
      </p>
    ),
  },
  {
    id: 'copy',
    question: 'What is a signed copy?',
    answer: (
      <p>
        Your image with the signed manifest inside, as Content Credentials. Publish it instead of the original: programs
        that read Content Credentials then show who signed it. It has a fingerprint of its own, which is registered as
        well.
      </p>
    ),
  },
  {
    id: 'cost',
    question: 'What does it cost?',
    answer: (
      <p>
        That is up to the operator of this registry. The tiers and their limits are in the settings of your account.
        Checking files needs no account.
      </p>
    ),
  },
  {
    id: 'many',
    question: 'Can I register thousands of files, or from a program?',
    answer: (
      <p>
        Yes: with the <a href="/docs">command line and the TypeScript SDK</a>, or with any language through the{' '}
        <a href="/api/reference">API</a>.
      </p>
    ),
  },
];

export const checking: readonly Question[] = [
  {
    id: 'not-registered',
    question: 'A file is “not registered”. Is it a fake?',
    answer: (
      <p>
        That says nothing about it. Most files in the world are not registered here. It may also be a changed version of
        one that is: a messenger that makes a photo smaller makes another file. The search for look-alikes may find it.
      </p>
    ),
  },
  {
    id: 'registered',
    question: 'A file is registered. Is it genuine?',
    answer: (
      <p>
        Not necessarily. A registration says when, and under which Mark, not what the file shows. Look at who stands
        behind the Mark, whether a domain is verified for it, and whether the registration is contested.
      </p>
    ),
  },
  {
    id: 'trust',
    question: 'Do I have to trust this service?',
    answer: (
      <p>
        Not for the core: the page of an Artifact reads the entry from a node of the chain and checks the signature in
        your browser. Name a node and root certificates of your own, and nothing depends on our word. What only we say
        is marked as such.
      </p>
    ),
  },
  {
    id: 'private',
    question: 'Do you learn which files I check?',
    answer: (
      <p>
        Not of files that are not registered: we see the first digits of the fingerprint, which very many files share,
        and list all registered ones that begin with them. If the file is registered, your browser asks for its record,
        and we can see that.
      </p>
    ),
  },
  {
    id: 'credentials',
    question: 'How does this relate to Content Credentials?',
    answer: (
      <p>
        Each registration has a signed manifest in the same open format, C2PA. Content Credentials of others inside a
        file are read and shown too. They get lost when a platform removes them; a registration can still be found by
        the file.
      </p>
    ),
  },
];

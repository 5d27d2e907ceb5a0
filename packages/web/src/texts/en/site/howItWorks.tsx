// Texts of the page that explains how it works, with the words of the registry.

import type { ReactNode } from 'preact/compat';

export const title = 'How it works';
export const lead =
  'A registration ties the fingerprint of a file to a name and a time, in a place where it cannot be changed later.';

export const registering = 'Registering a file';
export const registeringSteps = [
  {
    title: 'Your browser computes the fingerprint.',
    text: 'The SHA-256 of the bytes of the file. It cannot be turned back into the file, and a single changed bit gives another one.',
  },
  {
    title: 'You choose a Mark.',
    text: 'It says under which name the file is registered, under which license, and what you allow AI to do with it.',
  },
  {
    title: 'The service signs a manifest.',
    text: 'A statement with fingerprint, Mark, license and preferences, in the open format of Content Credentials (C2PA), with a time-stamp.',
  },
  {
    title: 'The fingerprint goes to the chain.',
    text: 'A contract on a blockchain takes each fingerprint once and never changes an entry. Its block gives the time. Neither the file nor any name is on the chain.',
  },
];

export const checking = 'Checking a file';
export const checkingSteps = [
  {
    title: 'Drop the file on the front page.',
    text: 'Your browser computes its fingerprint. The service gets only the first digits and returns all registered fingerprints that begin with them.',
  },
  {
    title: 'See what is registered.',
    text: 'The Mark, the time, the license, the preferences about AI, and claims of others. For pictures and recordings also look-alikes.',
  },
  {
    title: 'Let your browser check it.',
    text: 'It reads the entry from a node of the chain and checks the signature of the manifest, and says what each source proves and what it does not.',
  },
];

export const words = 'The words';
export const wordsLead = 'These five words come up everywhere.';
interface Word {
  readonly id: string;
  readonly word: string;
  readonly text: ReactNode;
}
export const wordList: readonly Word[] = [
  {
    id: 'fingerprint',
    word: 'Fingerprint',
    text: 'The SHA-256 of the exact bytes of a file, written as 0x and 64 hexadecimal digits. Equal fingerprints mean identical files. They say nothing about the content. Any tool can compute it, such as sha256sum.',
  },
  {
    id: 'mark',
    word: 'Mark',
    text: 'An identity under which files are registered: a person, a project, a studio. It has a license and preferences about AI, an admin, and members who may register under it. Its name is free to choose; a verified domain tells it from namesakes.',
  },
  {
    id: 'artifact',
    word: 'Artifact',
    text: 'The permanent record of one registered file. It ties one fingerprint to one Mark and has a page with its status, its manifest, claims of others and the evidence. There is only one for each fingerprint: the first registration stands.',
  },
  {
    id: 'chain',
    word: 'Chain',
    text: 'A blockchain: a public list of blocks that many computers keep, to which entries can be added but not changed. A contract on it holds the fingerprints. Anyone can read it, without this service.',
  },
  {
    id: 'manifest',
    word: 'Manifest',
    text: 'The signed statement about a registered file, in the format of Content Credentials (C2PA). It is a file of its own (.c2pa) and is also inside signed copies. Any C2PA validator can check it.',
  },
];

export const limits = 'What it cannot do';
export const limitList = [
  'It does not find out who made a file. It shows who registered it first here, and when.',
  'It does not stop anyone from copying a file. It helps to show afterwards that yours was earlier.',
  'It does not keep your file. Keep the original: without it, nothing can be compared.',
  'It is not a legal registration. What a court makes of the evidence is up to the court.',
];

export const more = 'Read more';
export const toDocs = 'Docs: concepts, guides and verification without us';
export const toFaq = 'Questions and answers';
export const toGallery = 'Gallery of public Marks';

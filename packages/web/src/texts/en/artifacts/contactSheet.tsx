// Texts of contact sheets.

import type { ReactNode } from 'preact/compat';
import { pluralize } from '../../../ui/text/format.js';

export const title = 'Contact sheet';
export const lead = (number: number) =>
  `${pluralize(number, 'file')}, each with a link to its registration and with what this service shows to everyone.`;
export const madeFromLink =
  'The list and the title are in the link of this page, and anyone can make such a link. The entries are read from this service.';

export const titleLabel = 'Title';
export const titleHint = 'Becomes part of the link.';
export const copyLink = 'Copy link';
export const linkCopied = 'Link copied. Everyone who has it sees this sheet.';
export const copyFailed = 'Your browser did not allow copying. Copy the address of this page instead.';
export const print = 'Print';
export const addPictures = 'Show pictures';
export const picturesHint =
  'Choose the files to show their pictures here and in print. They stay on this device: others with the link do not see them.';
export const picturesAdded = (number: number) => `Pictures of ${pluralize(number, 'file')} shown.`;
export const noPictureMatches = 'None of the chosen files is on this sheet.';
export const pictureOf = (name: string) => `Picture of ${name}`;
export const sheetActions = 'Actions';

export const loading = (done: number, total: number) => `Loading ${done} of ${pluralize(total, 'file')} …`;
export const privateFile = 'Private';
export const privateSentence = 'Registered under a private Mark. Name and Mark are not public.';
export const unknownFile = 'Not registered here';
export const unknownSentence = 'No file with this fingerprint is registered with this service.';
export const failedToLoad = 'Could not load';
export const retry = 'Try again';
export const underMark = (mark: ReactNode) => <>Mark: {mark}</>;
export const registeredAt = (time: ReactNode) => <>Registered {time}</>;
export const qrLabel = (name: string) => `QR code with the link to ${name}`;
export const contested = 'Contested';

export const emptyTitle = 'This contact sheet is empty';
export const emptyText = 'A contact sheet is made from a selection in “My files”.';
export const brokenTitle = 'This link is incomplete or damaged';
export const brokenText = 'Some apps cut off long links. Ask for the link again, or for a file that contains it.';
export const versionTitle = 'This link needs a newer version of this page';
export const versionText = 'Reload the page. If that does not help, the service has to be updated first.';
export const toFiles = 'My files';

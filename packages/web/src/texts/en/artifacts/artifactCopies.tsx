// Texts of an Artifact's page for its signed copies and the visibility of its details.

import type { ReactNode } from 'preact/compat';

export const title = 'Signed copies';
export const none =
  'None yet. A signed copy has the manifest inside the file. This service does not store signed copies.';
export const some =
  'Copies that this service signed. Each has its own fingerprint and is registered like the file. A signed copy has the manifest inside the file. This service does not store signed copies.';
export const verify = 'Verify';
export const thisCopy = '(this copy)';
export const fingerprint = 'Fingerprint';
export const signed = 'Signed';
export const status = 'Status';
export const transaction = 'Transaction';
export const copyTransaction = 'transaction of the copy';
export const downloadedAnnouncement = 'The signed copy is downloaded.';
export const failed = 'Could not make a signed copy';
export const downloaded = 'Signed copy downloaded';
export const downloadAgain = 'Download again';
export const keep = (name: ReactNode) => <>Keep {name}: this service does not have it.</>;
export const offer = (left: number, most: number, formats: string) =>
  `Drop or choose the original file to get a signed copy (${left} of ${most} left). Your browser checks that it is the registered file, and only then sends it to this service, which processes it in memory and does not store it. Possible for ${formats}.`;
export const working = 'Checking, sending and signing …';
export const choose = 'Choose the original file';
export const full = (most: number) => `This file has ${most} signed copies, which is the most that a file can have.`;

// Visibility of the details.

export const details = 'File details';
export const toPublic = {
  state: 'Private: name, size and perceptual hashes of this file are shown to members of the Mark only.',
  button: 'Make details public',
  title: 'Make the file details public?',
  action: 'Make public',
  done: 'The file details are public now.',
  text: (
    <p>
      Everyone who can see the Mark then sees name, size and perceptual hashes of this file. You can hide them again,
      but not take back what others have seen.
    </p>
  ),
};
export const toPrivate = {
  state: 'Public: name, size and perceptual hashes of this file are shown to everyone who can see its Mark.',
  button: 'Make details private',
  title: 'Make the file details private?',
  action: 'Make private',
  done: 'The file details are private now.',
  text: (
    <>
      <p>
        This service then shows name, size and perceptual hashes of this file to members of the Mark only. Everything
        else stays as visible as before.
      </p>
      <p>
        <strong>This cannot be taken back for what is already published:</strong> the manifest, the report, the card and
        signed copies keep the names that were signed, and anyone with their address can read them. The entry on chain
        stays as it is.
      </p>
    </>
  ),
};

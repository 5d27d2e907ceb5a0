// Texts of look-alikes. They never say that two files are the same.

import { explanations, type MissingHashReason } from '@provenance-registry/client';
import type { ReactNode } from 'preact/compat';

// One look-alike.

/** `mark` is undefined when the Mark is not named. */
export const resembles = {
  image: (mark: ReactNode) =>
    mark === undefined ? <>Looks like a file of a Mark that is not named</> : <>Looks like a file of the Mark {mark}</>,
  audio: (mark: ReactNode) =>
    mark === undefined ? (
      <>Sounds like a file of a Mark that is not named</>
    ) : (
      <>Sounds like a file of the Mark {mark}</>
    ),
};
export const contested = 'Contested';
export const closeness = 'Closeness';
export const registered = 'Registered';
export const since = (at: ReactNode) => <>since {at}</>;
export const identity = 'Identity';
export const calledAtRegistration = (name: ReactNode) => <>called {name} at registration</>;
export const concededTo = 'Conceded to';
export const codes = 'Codes';
export const viewArtifact = 'View Artifact';

const grades = {
  image: {
    'near-identical': 'Nearly identical, as close as copies of one picture usually are',
    similar: 'Similar, as a crop, an edit, or another picture of the same thing may be',
  },
  audio: {
    'near-identical': 'Nearly identical, as close as copies of one recording usually are',
    similar: 'Similar, as an excerpt, an edit, or another version may be',
  },
};
type Kind = keyof typeof grades;
type Grade = keyof (typeof grades)[Kind];
export const closenessOf = (kind: Kind, grade: Grade, distance: number) =>
  kind === 'audio'
    ? `${grades[kind][grade]}: ${distance} of 64 bits differ on average.`
    : `${grades[kind][grade]}: ${distance} of 64 bits differ.`;

/** Texts by the number of quarter turns clockwise. */
export const turned = [
  undefined,
  'Your file looks like it when it is turned by 90° clockwise.',
  'Your file looks like it when it is turned by 180°.',
  'Your file looks like it when it is turned by 90° counterclockwise.',
] as const;
export const mirrored = [
  'Your file looks like it when it is mirrored.',
  'Your file looks like it when it is mirrored and turned by 90° clockwise.',
  'Your file looks like it when it is mirrored and turned by 180°.',
  'Your file looks like it when it is mirrored and turned by 90° counterclockwise.',
] as const;
export const cropped = 'Your file looks like the middle of the registered picture: it may be cropped.';
export const startsInRegistered = (time: string) =>
  `Your file sounds like it from ${time} of the registered recording on.`;
export const startsInYours = (time: string) =>
  `The registered recording sounds like your file from ${time} of yours on.`;
export const codesBy = {
  service: 'This service computed them from the registered file.',
  client: 'The registrant sent them: nothing shows that they belong to the registered file.',
};

// The search on the front page.

export const title = { image: 'Pictures that look like yours', audio: 'Recordings that sound like yours' };
export const onlyPicturesAndRecordings = 'Only pictures and recordings are compared.';
export const chooseAgain = 'To search for look-alikes of this file, choose it again.';
export const waiting = 'Searched for when it is known that there is no exact match.';
export const withoutExactMatch = 'Not searched for, because the registration could not be looked up.';
export const notNeeded = 'Not searched for, because this file is registered or leads to a registered one.';
export const isOff = 'Look-alikes were not searched for: you have turned that off below.';
export const search = { image: 'Search for this picture', audio: 'Search for this recording' };
export const computing = { image: 'Computing codes of your picture …', audio: 'Computing codes of your recording …' };
export const searching = 'Searching for look-alikes …';
export const incomparable = (missing: MissingHashReason) =>
  `Look-alikes were not searched for: ${explanations.missingHashes[missing]}. Nothing was sent.`;
export const failed = (reason: string) => `Look-alikes could not be searched. ${reason}`;
export const unavailable = 'The service has too many searches to do, or has just started. Try again soon.';
export const searchAgain = 'Search again';
export const noneFound = {
  image:
    'No look-alike found. What your picture looks like was compared with the registered pictures that have codes, also mirrored and turned. Pictures of private Marks, heavy crops and heavy edits are not found.',
  audio:
    'No look-alike found. The first two minutes of your recording were compared with those of the registered recordings that have codes. Recordings of private Marks and heavy edits are not found.',
};
export const found = explanations.lookalikesFound;
export const closest = (mark: ReactNode, at: ReactNode) => (
  <>
    The closest is of the Mark {mark}, registered since {at}.
  </>
);
export const sentCodes = {
  image:
    'Only a few codes of 8 bytes left this device, not the picture. By them this service learns which registered files it resembles.',
  audio:
    'Only the Chromaprint of the recording left this device, a few kilobytes, not the sound. By them this service learns which registered files it resembles.',
};
export const proof =
  'Codes that were registered for these files are close to those of your file. The facts beside them are what this service states about the registered files, not about yours.';
export const notTheSame = {
  image:
    'It does not prove that they show the same picture: different works can have close codes, and codes can be made to match.',
  audio:
    'It does not prove that they are the same recording: different works can have close codes, and codes can be made to match.',
};
export const notTheMaker =
  'Neither does it prove who made your file, or that a license of a registered file holds for yours.';

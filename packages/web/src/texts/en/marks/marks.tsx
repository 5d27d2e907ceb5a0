// Texts of the Marks of a user: the list, the form and the settings of a Mark.

import type { AiUse, LicenseKey } from '@provenance-registry/core';
import type { ReactNode } from 'preact/compat';

export const title = 'Marks';
export const lead =
  'A Mark is the identity that files are registered under. It states who made them, under which license, and whether AI models may be trained with them.';
export const marks = 'Marks';
export const isEmpty = 'You have no Marks yet.';
export const mark = 'Mark';

export const newTitle = 'New Mark';
export const me = 'Me';
export const owners = 'owners';
export const ownerLabel = 'Owner';
export const ownerHint = 'This cannot be changed later. Files count toward the limits of the owner.';
export const create = 'Create Mark';
export const creating = 'Creating …';
export const created = 'Mark created.';

export const nameLabel = 'Name';
export const nameHint = 'Shown with every file that you register under it, such as your name, a project or a studio.';
export const namesakesTitle = 'Other Marks have a similar name';
export const namesakesHint =
  'You can use this name. Verify a domain, so that visitors can tell your Mark from the others.';
export const visibilityLabel = 'Visibility';
export const publicLabel = 'Public';
export const publicHint = 'Anyone can see this Mark and its files, also in the gallery.';
export const privateLabel = 'Private';
export const privateHint = 'Only members can see this Mark. Others see that a file is registered, but not by whom.';

export const licenseLabel = 'License';
export const licenseDescriptions: Readonly<Record<LicenseKey, string>> = {
  NONE_SPECIFIED: 'No license is stated. Others have to ask you.',
  UNLICENSED: 'All rights reserved: others need your permission.',
  'CC-BY-4.0': 'Anyone may share and adapt it with attribution.',
  'CC-BY-SA-4.0': 'Anyone may share and adapt it with attribution, under the same license.',
  'CC-BY-NC-4.0': 'Anyone may share and adapt it with attribution, for noncommercial purposes.',
  'CC-BY-NC-SA-4.0':
    'Anyone may share and adapt it with attribution, for noncommercial purposes, under the same license.',
  'CC0-1.0': 'Public domain: anyone may use it for any purpose without attribution.',
  MIT: 'For software: anyone may use it for any purpose if your copyright notice is kept.',
  'BSD-3-Clause':
    'For software: anyone may use it for any purpose if your copyright notice is kept and your name is not used for promotion.',
  'Apache-2.0': 'For software: like MIT, with a patent grant; changes must be stated.',
  'GPL-3.0': 'For software: anyone may use and change it; distributed changes must include their source.',
};

export const aiLabel = 'AI preference';
export const aiHint =
  'What you say about automated uses of your files. It is signed and shown with every file that you register from then on, and crawlers can read it. It is a statement, not a license and not a technical barrier.';
export const aiChoices = {
  granted: {
    label: 'Allowed',
    hint: 'The default: you agree to data mining, AI inference and AI training with your files.',
  },
  refused: { label: 'Not allowed', hint: 'No data mining, no AI inference, no AI training.' },
  unspecified: {
    label: 'Not specified',
    hint: 'Nothing is stated. What others may do follows from the law and the license.',
  },
  byUse: {
    label: 'Different for each use',
    hint: 'Choose for each of the four uses, also with conditions.',
  },
};
export const aiUseHints: Readonly<Record<AiUse, string>> = {
  data_mining: 'Extracting text or data to find patterns, trends and correlations.',
  ai_inference: 'Giving the file to an AI model as input, such as for a summary or a description.',
  ai_training: 'Training models that do not create content, such as those that classify or detect.',
  ai_generative_training: 'Training models that create content, such as text or images.',
};
export const notSpecified = 'Not specified';
export const conditionsOf = (use: string) => `Conditions: ${use}`;
export const conditionsHint = 'Signed and shown with every file, such as how to get permission.';
export const conditionsMissing = 'Enter the conditions.';
export const conditionsTooLong = (limit: number) => `Use at most ${limit} characters.`;
export const conditionsInvisible = 'The text contains invisible characters.';

export const registerFiles = 'Register files';
export const viewFiles = 'View files';
export const settingsTitle = 'Settings';
export const settingsHint = 'Changes apply to new files. Registered files keep their values.';
export const onlyAdminEdits = (admin: ReactNode) => <>Only its admin, {admin}, can edit this Mark.</>;
export const save = 'Save';
export const saving = 'Saving …';
export const saved = 'Saved.';
export const publicFact = 'Public';
export const privateFact = 'Private: visible to members only';
export const licenseFact = (name: string, description: string) => `${name}. ${description}`;

export const makePrivate = {
  title: 'Make this Mark private?',
  action: 'Make private',
  text: (
    <>
      <p>
        Others no longer see this Mark here, also not in the gallery. Of its files they still see fingerprint, type,
        status and date, but not their names, authors and licenses. New files are published without names.
      </p>
      <p>
        <strong>This cannot be taken back for files that are already registered:</strong> their published manifests,
        reports, cards and signed copies keep the names of Mark, author and file that were signed, and anyone with their
        address can read them. Entries on chain stay, too, and show which of them have the same author.
      </p>
    </>
  ),
};
export const makePublic = {
  title: 'Make this Mark public?',
  action: 'Make public',
  text: (
    <p>
      Anyone can then see this Mark and all its files, with their names, authors and licenses, also those that were
      registered while it was private. You can make it private again, but not take back what others have seen.
    </p>
  ),
};

export const lookalikesTitle = 'Look-alikes registered by others';
export const lookalikesLead =
  'Pictures and recordings of other Marks that look or sound like yours. That is a hint: it does not prove that they are the same, or who made them.';
export const comparing = 'Comparing your files with those of others …';
export const noLookalikes = 'None found among the files of this Mark that have codes.';
export const noLookalikesYet = 'None found for the newest files of this Mark.';
export const searchOlder = 'Search for older files of this Mark';
export const contest = 'Contest this registration';
export const registeredBefore = (file: ReactNode, time: ReactNode) => (
  <>
    Your file: {file}, registered {time}, before this one.
  </>
);
export const registeredAfter = (file: ReactNode, time: ReactNode) => (
  <>
    Your file: {file}, registered {time}, after this one.
  </>
);

// Texts of the gallery of public Marks.

export const title = 'Gallery';
export const lead = 'Public Marks: the identities under which creators and organizations register their work.';
export const searchLabel = 'Search by name';
export const marks = 'Marks';
export const isEmpty = 'No public Marks yet.';
export const isEmptyText =
  'This page will list the public Marks of this registry: each is a name, with a link to the files that are registered under it. Be the first.';
export const signUp = 'Sign up and create a Mark';
export const createMark = 'Create a Mark';
export const aboutMarks = 'What is a Mark?';
export const hasNoMatch = 'No public Marks match your search.';

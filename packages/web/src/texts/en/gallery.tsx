// Texts of the gallery of public Marks.

export const title = 'Gallery';
export const lead = 'Public Marks: the identities under which creators and organizations register their work.';
export const searchLabel = 'Search by name';
export const marks = 'Marks';
export const isEmpty = 'No public Marks yet.';
export const hasNoMatch = 'No public Marks match your search.';

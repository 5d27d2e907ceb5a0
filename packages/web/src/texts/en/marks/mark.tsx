// Texts of the public page of a Mark.

import type { ReactNode } from 'preact/compat';

export const mark = 'Mark';
export const privateTitle = 'This Mark is private';
export const privateText = 'Its name and Artifacts are visible to members only.';
export const logIn = 'Log in';
export const organization = 'Organization';
export const owner = 'Owner';
export const visibility = 'Visibility';
export const onlyMembers = 'Private: only members can see this page.';
export const license = 'License';
export const aiPreference = 'AI preference';
export const markId = 'Mark id';
export const copyMarkId = 'Mark id';
export const artifacts = 'Artifacts';
export const isEmpty = 'No files are registered under this Mark yet.';
export const changes = 'Changes over time';
export const preferences = 'preferences';
export const since = (time: ReactNode) => <>Since {time}</>;

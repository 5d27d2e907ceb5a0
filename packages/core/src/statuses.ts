// The states of an Artifact, and the numbers that the database keeps for them.

export const artifactStatus = { pending: 0, submitting: 1, submitted: 2, failed: 3, confirmed: 4 } as const;

export type ArtifactStatus = keyof typeof artifactStatus;

// The facts of a verification, and where their times come from.

import type { Fact, FactName, TimeEvidence } from '../verification/types.js';

export const factLabels: Readonly<Record<FactName, string>> = {
  signedCopyOf: 'Signed copy of',
  mark: 'Mark',
  markId: 'Mark id',
  currentMarkName: 'Mark now',
  author: 'Author',
  authorId: 'Author id',
  license: 'License',
  allowAiTraining: 'AI training',
  data_mining: 'Data mining',
  ai_inference: 'AI inference',
  ai_training: 'Non-generative training',
  ai_generative_training: 'Generative training',
  since: 'Since',
  filename: 'File name',
  previousFingerprint: 'Previous version',
  fileSeen: 'Possession',
  authorshipStated: 'Statement',
  registrar: 'Registrar',
};

export const timeSources: Readonly<Record<TimeEvidence['source'], string>> = {
  block: 'block on chain',
  timestamp: 'time-stamp of the manifest',
  anchor: 'block on chain before which the log had it',
  service: "the service's word",
};

/** The value of a fact, for people. */
export function factValue({ name, value }: Fact, facts: readonly Fact[]): string {
  if (name === 'allowAiTraining') return value === null ? 'not specified' : value ? 'allowed' : 'forbidden';
  if (name === 'fileSeen')
    return value === true ? 'the service read the file' : 'not shown: only the fingerprint was sent';
  const currentName = name === 'mark' && facts.find((fact) => fact.name === 'currentMarkName')?.value;
  return currentName
    ? `registered as "${value}" (now called "${currentName}", according to the service)`
    : String(value ?? 'none');
}

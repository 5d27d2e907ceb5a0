// `verify`: the verdict of `provenance verify`, by the same code.

import Type from 'typebox';
import { VerifiedFile } from '../outputSchemas/verification.js';
import type { Verdict } from '../verify/formatVerification.js';
import { createVerifier } from '../verify/verifier.js';
import { defineTool, openTarget, targetInput } from './tool.js';

/** Look-alikes have a tool of their own. */
const { similar: _, ...verificationFields } = VerifiedFile.properties;

export const verifyTool = defineTool({
  name: 'verify',
  title: 'Verify a file',
  description:
    'Verifies who registered a file, as the command "provenance verify" does: service, chain and signed manifest are ' +
    'checked independently, and a C2PA manifest inside the file is read. Report the verdict as it is: only "verified" is ' +
    'an independent confirmation; "consistent" means that all of it comes from the service; "contested" and "superseded" ' +
    'that others claim the file; "contradicted" that nothing about it can be relied on; "unknown" that no source has it. ' +
    'A fact proves no more than its evidence: "service" alone is the word of the service. The file is not sent.',
  input: targetInput,
  output: Type.Object(verificationFields),
  isReadOnly: true,
  async run(input, call) {
    const target = await openTarget(input, call);
    const { file, fingerprint } = target;
    const verifier = await createVerifier(call.context, {
      require: undefined,
      manifest: undefined,
      offline: undefined,
      blockHash: undefined,
      direct: false,
      similar: false,
    });
    const readable = file
      ? { kind: 'file' as const, ...file }
      : { kind: 'fingerprint' as const, name: fingerprint, fingerprint };
    const size = file?.size ?? 0;
    const verification = await verifier.verify(readable, (bytes) => call.showProgress(bytes, size));
    const isUnconfirmed = verification.verdict === 'consistent';
    const alarm = verification.alarm === undefined ? '' : ' The registry is not the one that the user pinned.';
    const advice = isUnconfirmed ? ` ${verifier.advice}` : '';
    return {
      summary: `${verdictMeanings[verification.verdict]}${alarm}${advice}`,
      result: { file: readable.name, ...verification },
    };
  },
});

/** Verdicts in the words of docs/cli.md. */
const verdictMeanings: Readonly<Record<Verdict, string>> = {
  verified:
    'Verified: a source independent of the service confirms the registration, and nothing contradicts it. It proves who ' +
    'registered these bytes and when, not who made them.',
  consistent:
    'Consistent: everything agrees, but all of it comes from the service. This is no independent confirmation.',
  contested: 'Contested: registered, but another user contests it with older evidence that the service checked.',
  superseded: "Superseded: registered, but the Mark's admin conceded the file to another Mark.",
  contradicted: 'Contradicted: sources disagree. Do not rely on what they say about this file.',
  unknown: 'Unknown: no source that was read has anything about this file.',
  incomplete: 'Could not check: not enough sources could be read.',
};

// `verify`: the verdict of `provenance verify`, by the same code.

import { explanations } from '@provenance-registry/client';
import Type from 'typebox';
import { z } from 'zod';
import { VerifiedFile } from '../outputSchemas/verification.js';
import { createVerifier } from '../verify/verifier.js';
import { defineTool, openTarget, targetInput } from './tool.js';

/** Names have at most 120. */
const MAX_MARK_CHARACTERS = 240;
/** Look-alikes have a tool of their own. */
const { similar: _, ...verificationFields } = VerifiedFile.properties;

export const verifyTool = defineTool({
  name: 'verify',
  title: 'Verify a file',
  description:
    'Verifies who registered a file, as the command "provenance verify" does: service, chain and signed manifest are ' +
    'checked independently, and a C2PA manifest inside the file is read. Report the verdict as it is: only "verified" is ' +
    'an independent confirmation; "consistent" means that some of it is the word of the service; "contested" and "superseded" ' +
    'that others claim the file; "contradicted" that nothing about it can be relied on; "unknown" that no source has it. ' +
    'A fact proves no more than its evidence: "service" alone is the word of the service. The file is not sent.',
  input: targetInput.extend({
    expectMark: z
      .string()
      .min(1)
      .max(MAX_MARK_CHARACTERS)
      .optional()
      .describe('ID or exact name of the Mark whose file it should be. Any other Mark can have the same name.'),
  }),
  output: Type.Object(verificationFields),
  isReadOnly: true,
  async run(input, call) {
    const target = await openTarget(input, call);
    const { file, fingerprint } = target;
    const verifier = await createVerifier(call.context, { expectMark: input.expectMark });
    const readable = file
      ? { kind: 'file' as const, ...file }
      : { kind: 'fingerprint' as const, name: fingerprint, fingerprint };
    const size = file?.size ?? 0;
    const verification = await verifier.verify(readable, (bytes) => call.showProgress(bytes, size));
    // The reason and the name of the file may have words of others.
    const { verdict, reason } = verification;
    const words = verdict === 'incomplete' ? `${reason?.code}.` : explanations.verdict(verification);
    const advice = verifier.advise('FILE', verification);
    const alarm = verification.alarm === undefined ? '' : ' The registry is not the one that the user knows.';
    return {
      summary: `${verdict}: ${words}${alarm}${advice === undefined ? '' : ` Next: ${advice}`}`,
      result: { file: readable.name, ...verification },
    };
  },
});

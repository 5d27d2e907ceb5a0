// `look_up`: whether a file is registered, without telling the service which one unless it has it.

import { findPrivately } from '@provenance-registry/client';
import { LookupResult } from '@provenance-registry/core';
import Type from 'typebox';
import { LookupQuestion } from '../outputSchemas/verification.js';
import { connectToRegistry, defineTool, hashTarget, openTarget, RegistryInfo, targetInput } from './tool.js';

export const lookUpTool = defineTool({
  name: 'look_up',
  title: 'Look a file up',
  description:
    'Tells whether a file or fingerprint is registered, under which Mark, since when, and with which license and AI ' +
    'preferences. The file is not sent, and of its fingerprint only the first digits, unless the registry has it. The ' +
    'answer is the word of the service: use verify to check it.',
  input: targetInput,
  output: Type.Object({ ...LookupResult.properties, lookup: LookupQuestion, registry: RegistryInfo }),
  isReadOnly: true,
  async run(input, call) {
    const target = await openTarget(input, call);
    const { client, registry } = await connectToRegistry(call.context);
    const fingerprint = await hashTarget(target, call);
    const { entry, prefix, isChainKnown } = await findPrivately(client, fingerprint);
    const lookup = { kind: 'prefix', isFileNamed: entry !== undefined, prefix } as const;
    if (!entry) {
      const caveat = isChainKnown ? '' : ' The service has not read the latest blocks of the chain, which may have it.';
      const summary = `Not registered.${caveat} The service does not learn which file this was.`;
      return { summary, result: { fingerprint, match: 'none', isChainKnown, lookup, registry } };
    }
    const { results } = await client.lookUpFingerprints({ fingerprints: [fingerprint] });
    const [found = { fingerprint, match: 'none', isChainKnown }] = results;
    return { summary: summaries[found.match], result: { ...found, lookup, registry } };
  },
});

const summaries = {
  artifact: 'Registered, according to the service. Use verify to check that.',
  chain: 'Not registered with this service, but written on chain by others. Use verify to check that.',
  none: 'The service listed the file, but says nothing about it.',
} as const;

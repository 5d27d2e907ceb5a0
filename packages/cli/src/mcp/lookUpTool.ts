// `look_up`: whether a file is registered, without telling the service which one unless it has it.

import { explanations, lookUp } from '@provenance-registry/client';
import Type from 'typebox';
import { Lookup } from '../outputSchemas/lookup.js';
import { connectToRegistry, defineTool, hashTarget, openTarget, RegistryInfo, targetInput } from './tool.js';

export const lookUpTool = defineTool({
  name: 'look_up',
  title: 'Look a file up',
  description:
    'Tells whether a file or fingerprint is registered, under which Mark, since when, and with which license and AI ' +
    'preferences. The file is not sent, and of its fingerprint only the first digits, unless the registry has it. The ' +
    'answer is the word of the service: use verify to check it.',
  input: targetInput,
  output: Type.Object({ ...Lookup.properties, registry: RegistryInfo }),
  isReadOnly: true,
  async run(input, call) {
    const target = await openTarget(input, call);
    const { client, registry } = await connectToRegistry(call.context);
    const fingerprint = await hashTarget(target, call);
    const { artifact: _, registration: _status, ...found } = await lookUp(client, fingerprint);
    const { match, isChainKnown = true, disclosure } = found;
    const caveat = isChainKnown ? '' : ` ${explanations.chainBehind}`;
    const summary = `${explanations.matches[match]}${caveat} ${explanations.disclosed(disclosure)}`;
    return { summary, result: { ...found, registry } };
  },
});

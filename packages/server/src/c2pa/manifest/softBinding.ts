// The soft binding in a report of c2pa-rs.

import { SOFT_BINDING_ALGORITHM } from '@provenance-registry/core';
import Type from 'typebox';
import { Value } from 'typebox/value';

const Report = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(Type.String(), Type.Unknown()),
});
const Manifest = Type.Object({
  assertions: Type.Array(Type.Object({ label: Type.String(), data: Type.Unknown() })),
});
const SoftBinding = Type.Object({
  alg: Type.Literal(SOFT_BINDING_ALGORITHM),
  blocks: Type.Array(Type.Object({ value: Type.String() }), { minItems: 1, maxItems: 1 }),
});

/** Of the active manifest, in base64; undefined unless there is exactly one, in the algorithm of this service. */
export function readSoftBinding(report: unknown): string | undefined {
  if (!Value.Check(Report, report)) return undefined;
  const manifest = report.manifests[report.active_manifest];
  if (!Value.Check(Manifest, manifest)) return undefined;
  const [binding, ...others] = manifest.assertions.filter(({ label }) => label.startsWith('c2pa.soft-binding'));
  return Value.Check(SoftBinding, binding?.data) && others.length === 0 ? binding.data.blocks[0]?.value : undefined;
}

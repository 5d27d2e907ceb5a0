// What the declarations of API operations share: their outline, schemas and examples.

import Type, { type Static, type TSchema } from 'typebox';
import { SOFT_BINDING_ALGORITHM } from '../fingerprints/fingerprints.js';
import { closeRequest } from './closedSchemas.js';
import { exampleIds, type Operation, type Tag } from './operation.js';

type Declaration = Omit<Operation, 'id' | 'tag'> & Partial<Pick<Operation, 'tag'>>;
type Operations<Declarations> = {
  [Id in keyof Declarations & string]: Declarations[Id] & { readonly id: Id; readonly tag: Tag };
};

/**
 * Completes operations that are next to each other in the reference: the name of each is its id, and its requests have no
 * fields that are not declared.
 */
export function operations<Declarations extends Record<string, Declaration>>(tag: Tag, declarations: Declarations) {
  const completed = Object.entries(declarations).map(([id, declaration]) => [
    id,
    { id, tag, ...declaration, ...closeRequest(declaration) },
  ]);
  return Object.fromEntries(completed) as Operations<Declarations>;
}

export function route<
  const Method extends Operation['method'],
  const Path extends string,
  const Auth extends Operation['auth'],
>(method: Method, path: Path, auth: Auth) {
  return { method, path, auth };
}

export function ok<Schema extends TSchema>(description: string, schema: Schema, example: NoInfer<Static<Schema>>) {
  return { status: 200, description, schema, example } as const;
}

/** @param location the path of what was created, with members of the result and path parameters in braces */
export function created<Schema extends TSchema>(
  description: string,
  schema: Schema,
  example: NoInfer<Static<Schema>>,
  location: string,
) {
  return { status: 201, description, schema, example, location } as const;
}

export function noContent(description: string) {
  return { status: 204, description } as const;
}

export function accepted(description: string) {
  return { status: 202, description } as const;
}

export const License = (description: string) =>
  Type.Object({ name: Type.String(), url: Type.Unsafe<string | null>({ type: ['string', 'null'] }) }, { description });

export const Nullable = <T>(type: 'string' | 'integer' | 'boolean', description: string) =>
  Type.Unsafe<T | null>({ type: [type, 'null'], description });

export const NextCursor = Nullable<string>('string', 'Null on the last page.');

/** A nullable reference to something that has an id and a name. */
export const NullableReference = (properties: Record<'id' | 'name', TSchema>, description: string) =>
  Type.Unsafe<{ id: string; name: string } | null>({
    type: ['object', 'null'],
    required: ['id', 'name'],
    properties,
    description,
  });

export const exampleTime = '2026-06-01T12:00:00.000Z';
export const exampleManifestId = '1f0c8a34-52c1-4c0e-9d53-0e6a7d3b9f10';
export const exampleSoftBinding = {
  alg: SOFT_BINDING_ALGORITHM,
  value: 'LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=',
};
/** The author of the examples, and a member that the author adds. */
export const exampleAuthor = { id: exampleIds.USER_ID, name: 'Ada Lovelace' };
export const exampleMember = { id: exampleIds.MEMBER_ID, name: 'Bea' };

const publishedFile = `https://registry.example/cdn/${exampleManifestId}`;
export const exampleManifestLinks = {
  manifestUrl: `${publishedFile}.json`,
  manifestBinaryUrl: `${publishedFile}.c2pa`,
};
export const exampleFiles = { ...exampleManifestLinks, signedAssetUrl: `${publishedFile}.png` };

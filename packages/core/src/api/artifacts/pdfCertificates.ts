// The certificate of a registration: a signed PDF for people who keep paper, such as courts and insurers.

import Type from 'typebox';
import { route } from '../declarations.js';
import type { Operation } from '../operation.js';
import { getArtifact } from './artifacts.js';

export const getCertificate = {
  ...route('getCertificate', 'GET', '/api/v1/public/artifacts/{fingerprint}/certificate', 'none'),
  tag: 'Public',
  summary: 'Get the certificate of an Artifact',
  description:
    'A signed PDF of what the service, the signed manifest and the chain show about the registration when it is made. ' +
    'It shows no more than the public Artifact does. No token needed.',
  params: getArtifact.params,
  success: {
    status: 200,
    description: 'The certificate.',
    mediaType: 'application/pdf',
    schema: Type.Unsafe<never>({ type: 'string', format: 'binary' }),
    headers: { 'Content-Disposition': 'With a filename that begins with `certificate-`.' },
  },
  errors: { NOT_FOUND: 'The fingerprint has no Artifact, or its registration failed.' },
} satisfies Operation;

import { expect, it } from 'vitest';
import { errorStatus } from './errors.js';

it('every code has the HTTP status that the specification assigns to it', () => {
  expect(errorStatus).toMatchObject({
    BAD_REQUEST: 400,
    MISSING_ORGANIZATION_ID: 400,
    UNAUTHORIZED: 401,
    WORKSPACE_FROZEN: 401,
    FORBIDDEN: 403,
    API_KEY_ORG_MISMATCH: 403,
    TIER_RESTRICTION: 403,
    TIER_LIMIT_REACHED: 403,
    USAGE_UNIT_LIMIT_REACHED: 403,
    NOT_FOUND: 404,
    METHOD_NOT_ALLOWED: 405,
    CONFLICT: 409,
    GONE: 410,
    PAYLOAD_TOO_LARGE: 413,
    URI_TOO_LONG: 414,
    UNSUPPORTED_MEDIA_TYPE: 415,
    INTERNAL: 500,
    UNAVAILABLE: 503,
  });
});

// What `leaves/contents.ts` of packages/log accepts as a leaf of a file and as its opening, as JSON schemas.

export const Leaf = {
  anyOf: [
    {
      type: 'object',
      required: ['fingerprint', 'id', 'manifest', 'metadata', 'mark', 'ai', 'license', 'time'],
      additionalProperties: false,
      properties: {
        fingerprint: {
          type: 'string',
          pattern: '^0x[0-9a-f]{64}$',
        },
        id: {
          type: 'string',
          pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
        },
        manifest: {
          type: 'string',
          pattern: '^0x[0-9a-f]{64}$',
        },
        metadata: {
          type: 'string',
          pattern: '^0x[0-9a-f]{64}$',
        },
        imported: {
          type: 'boolean',
          const: true,
        },
        mark: {
          type: 'string',
          pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
        },
        ai: {
          type: 'array',
          minItems: 4,
          maxItems: 4,
          items: {
            type: 'integer',
            minimum: 0,
            maximum: 3,
          },
        },
        license: {
          type: 'string',
          pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$',
        },
        time: {
          type: 'string',
          maxLength: 24,
        },
      },
    },
    {
      type: 'object',
      required: ['fingerprint', 'id', 'manifest', 'metadata', 'hidden', 'time'],
      additionalProperties: false,
      properties: {
        fingerprint: {
          type: 'string',
          pattern: '^0x[0-9a-f]{64}$',
        },
        id: {
          type: 'string',
          pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
        },
        manifest: {
          type: 'string',
          pattern: '^0x[0-9a-f]{64}$',
        },
        metadata: {
          type: 'string',
          pattern: '^0x[0-9a-f]{64}$',
        },
        imported: {
          type: 'boolean',
          const: true,
        },
        hidden: {
          type: 'string',
          pattern: '^0x[0-9a-f]{64}$',
        },
        time: {
          type: 'string',
          maxLength: 24,
        },
      },
    },
  ],
};

export const Opening = {
  type: 'object',
  required: ['mark', 'ai', 'license', 'salt'],
  additionalProperties: false,
  properties: {
    mark: {
      type: 'string',
      pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    },
    ai: {
      type: 'array',
      minItems: 4,
      maxItems: 4,
      items: {
        type: 'integer',
        minimum: 0,
        maximum: 3,
      },
    },
    license: {
      type: 'string',
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$',
    },
    salt: {
      type: 'string',
      pattern: '^0x[0-9a-f]{64}$',
    },
  },
};

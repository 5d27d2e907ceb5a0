// Organizations as the API shows them.

import Type, { type Static } from 'typebox';
import { OneOf } from '../text.js';
import { Tier } from '../tiers.js';
import { Timestamp, Uuid } from './operation.js';

export const Organization = Type.Object(
  {
    id: Uuid('The organization.'),
    name: Type.String(),
    role: OneOf(['owner', 'member'], { description: "The caller's role." }),
    tier: Tier,
    status: OneOf(['active', 'frozen'], {
      description: 'Frozen when its owner has left the enterprise tier: nothing can be uploaded then.',
    }),
    usageUnits: Type.Object(
      {
        total: Type.Integer({ description: 'One included, and those purchased.' }),
        used: Type.Integer({ description: 'One for the owner and one for each other member.' }),
      },
      { description: 'How many people it has room for.' },
    ),
    createdAt: Timestamp('When it was made.'),
  },
  { title: 'Organization' },
);
export type Organization = Static<typeof Organization>;

// All API operations, in the order of the reference.

import { accountOperations, currentUserOperations, userTierOperations } from './accounts/accounts.js';
import { authenticationOperations } from './accounts/authentication.js';
import { credentialOperations } from './accounts/credentials.js';
import { sessionOperations } from './accounts/sessions.js';
import { artifactOperations } from './artifacts/artifacts.js';
import { publicReadOperations } from './artifacts/publicReads.js';
import { publicReceiptOperations, receiptOperations } from './artifacts/receipts.js';
import { claimNoteOperations, claimOperations } from './claims/claims.js';
import { eventOperations, organizationEventOperations } from './events/events.js';
import { webhookOperations } from './events/webhooks.js';
import { healthOperations } from './health.js';
import { limitOperations } from './limits.js';
import { bulkLookupOperations } from './lookups/bulkLookups.js';
import { downloadOperations } from './lookups/downloads.js';
import { lookalikeOperations, markLookalikeOperations } from './lookups/lookalikes.js';
import { prefixLookupOperations } from './lookups/lookups.js';
import { resolutionOperations } from './lookups/resolution.js';
import { identityOperations } from './marks/identity.js';
import { domainOperations } from './marks/markDomains.js';
import { galleryOperations, markOperations } from './marks/marks.js';
import type { Operation } from './operation.js';
import { apiKeyOperations } from './organizations/apiKeys.js';
import { invitationOperations, organizationInvitationOperations } from './organizations/invitations.js';
import { organizationOperations } from './organizations/organizations.js';

export const api = {
  ...authenticationOperations,
  ...currentUserOperations,
  ...credentialOperations,
  ...sessionOperations,
  ...accountOperations,
  ...organizationOperations,
  ...organizationInvitationOperations,
  ...organizationEventOperations,
  ...markOperations,
  ...domainOperations,
  ...markLookalikeOperations,
  ...invitationOperations,
  ...galleryOperations,
  ...apiKeyOperations,
  ...limitOperations,
  ...artifactOperations,
  ...receiptOperations,
  ...claimOperations,
  ...eventOperations,
  ...webhookOperations,
  ...publicReadOperations,
  ...publicReceiptOperations,
  ...prefixLookupOperations,
  ...bulkLookupOperations,
  ...lookalikeOperations,
  ...resolutionOperations,
  ...downloadOperations,
  ...identityOperations,
  ...userTierOperations,
  ...claimNoteOperations,
  ...healthOperations,
} as const satisfies Record<string, Operation>;

// All API operations, in the order of the reference.

import { getMe, logIn, putSubscription, putUserTier, signUp } from './accounts.js';
import { createApiKey, deleteApiKey, listApiKeys } from './apiKeys.js';
import {
  createArtifact,
  createManifest,
  createSignedCopy,
  getArtifact,
  listArtifacts,
  setContentVisibility,
} from './artifacts.js';
import { getHealth, getMetrics, getOpenApi, getReadiness, getWriteReadiness } from './health.js';
import { getRegistryIdentity, getSignerRoots, getTimestampRoots } from './identity.js';
import { getTierLimits, listTiers } from './limits.js';
import { addMarkMember, createMark, getMark, listGallery, listMarks, removeMarkMember, updateMark } from './marks.js';
import type { Operation } from './operation.js';
import {
  addOrganizationMember,
  createOrganization,
  getOrganization,
  listOrganizationMembers,
  listOrganizations,
  putUsageUnits,
  removeOrganizationMember,
  updateOrganizationMember,
} from './organizations.js';
import { getPublicArtifact, getPublicMark, listPublicArtifacts } from './publicReads.js';
import {
  findByBinding,
  findByContent,
  findByLargeBinding,
  getAlgorithms,
  getCapabilities,
  getContract,
  getManifest,
  getServiceStatus,
  getWellKnown,
} from './resolution.js';

export const api = {
  signUp,
  logIn,
  getMe,
  putSubscription,
  createOrganization,
  listOrganizations,
  getOrganization,
  putUsageUnits,
  addOrganizationMember,
  listOrganizationMembers,
  updateOrganizationMember,
  removeOrganizationMember,
  createMark,
  listMarks,
  getMark,
  updateMark,
  addMarkMember,
  removeMarkMember,
  listGallery,
  createApiKey,
  listApiKeys,
  deleteApiKey,
  getTierLimits,
  listTiers,
  createArtifact,
  getArtifact,
  setContentVisibility,
  listArtifacts,
  createManifest,
  createSignedCopy,
  getPublicArtifact,
  getPublicMark,
  listPublicArtifacts,
  findByBinding,
  findByLargeBinding,
  findByContent,
  getManifest,
  getAlgorithms,
  getCapabilities,
  getServiceStatus,
  getWellKnown,
  getContract,
  getRegistryIdentity,
  getSignerRoots,
  getTimestampRoots,
  putUserTier,
  getHealth,
  getReadiness,
  getWriteReadiness,
  getMetrics,
  getOpenApi,
} as const satisfies Record<string, Operation>;

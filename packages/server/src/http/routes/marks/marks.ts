// Routes of Marks, their domains and the gallery.

import { api } from '@provenance-registry/core';
import { addDomain, listDomains, removeDomain, scheduleDomainCheck } from '../../../domain/marks/markDomains.js';
import {
  createMark,
  listGallery,
  listMarks,
  listNamesakes,
  listPreferences,
  readMark,
  readPublicMark,
  setRepresentative,
  updateMark,
} from '../../../domain/marks/marks.js';
import { handOverMark, removeMarkMember } from '../../../domain/organizations/memberships.js';
import type { Ports } from '../../../domain/ports/index.js';
import { preferenceHeaders } from '../../responses/preferenceHeaders.js';
import type { Router } from '../../router.js';

export function markRoutes(route: Router, ports: Ports): void {
  route(api.createMark, ({ caller, body }) => createMark(ports, caller, body));
  route(api.listMarks, ({ caller }) => listMarks(ports, caller));
  route(api.getMark, ({ caller, params }) => readMark(ports, caller, params.markId));
  route(api.getPublicMark, async ({ params }, origin) => {
    const mark = await readPublicMark(ports, params.markId);
    origin.setHeaders(preferenceHeaders(mark.aiPreferences, `${ports.baseUrl}/marks/${mark.id}`));
    return mark;
  });
  route(api.listMarkPreferences, ({ params, query }) => listPreferences(ports, params.markId, query));
  route(api.updateMark, ({ caller, params, body }) => updateMark(ports, caller, params.markId, body));
  route(api.removeMarkMember, ({ caller, params }) => removeMarkMember(ports, caller, params.markId, params.userId));
  route(api.putMarkAdmin, ({ caller, params, body }) => handOverMark(ports, caller, params.markId, body.userId));
  route(api.putRepresentative, ({ caller, params, body }) =>
    setRepresentative(ports, caller, params.markId, body.representativeId),
  );
  route(api.claimDomain, ({ caller, params, body }) => addDomain(ports, caller, params.markId, body.domain));
  route(api.listDomains, ({ caller, params }) => listDomains(ports, caller, params.markId));
  route(api.checkDomain, ({ caller, params }) => scheduleDomainCheck(ports, caller, params.markId, params.domain));
  route(api.removeDomain, ({ caller, params }) => removeDomain(ports, caller, params.markId, params.domain));
  route(api.listGallery, ({ query }) => listGallery(ports, query));
  route(api.listNamesakes, ({ query }) => listNamesakes(ports, query.name));
}

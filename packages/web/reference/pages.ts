// The pages of the API reference, made from the OpenAPI document: an overview, a page for each group of operations, and one
// for the objects that operations share.

import { errorStatus, escapeHtml, type OpenApiDocument } from '@provenance-registry/core';
import { renderCode, renderCodeBlock, renderParagraphs, renderText } from './markup.js';
import { type ListedOperation, renderMethod, renderOperation } from './operation.js';
import { listFields, OBJECTS_PATH, renderFacts, renderFields, renderType } from './schemaFields.js';
import { conventions, texts } from './texts.js';

const REFERENCE_PATH = '/api/reference';

export interface ReferencePage {
  readonly title: string;
  readonly description: string;
  /** Canonical path. */
  readonly path: string;
  /** HTML of the navigation beside the content. */
  readonly side: string;
  /** HTML of the content. */
  readonly main: string;
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly operations: readonly ListedOperation[];
}

export function renderReference(document: OpenApiDocument, baseUrl: string): ReferencePage[] {
  const groups = listGroups(document);
  return [
    {
      title: texts.title,
      description: texts.description,
      path: REFERENCE_PATH,
      side: renderSide(groups, REFERENCE_PATH),
      main: renderOverview(document, groups, baseUrl),
    },
    ...groups.map((group) => ({
      title: `${group.name} · ${texts.title}`,
      description: texts.groupDescription(group.name),
      path: group.path,
      side: renderSide(groups, group.path),
      main: renderGroup(group),
    })),
    {
      title: `${texts.objects} · ${texts.title}`,
      description: texts.objectsLead,
      path: OBJECTS_PATH,
      side: renderSide(groups, OBJECTS_PATH),
      main: renderObjects(document),
    },
  ];
}

function listGroups({ tags, paths }: OpenApiDocument): Group[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): ListedOperation => ({ method, path, operation })),
  );
  return tags.map(({ name, description }) => ({
    name,
    description,
    path: `${REFERENCE_PATH}/${name.toLowerCase().replaceAll(' ', '-')}`,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
}

/** Renders the contents, beside the page or, on phones, opened over it by a button. Neither needs JavaScript. */
function renderSide(groups: readonly Group[], current: string): string {
  const link = (path: string, label: string) =>
    `<li><a href="${path}"${path === current ? ' aria-current="page"' : ''}>${label}</a></li>`;
  return `<button type="button" class="Button-button open-operations" popovertarget="operations">${texts.find}</button>
<nav class="side" id="operations" aria-label="${texts.operations}" popover>
<button type="button" class="Button-button Button-quiet close-operations" popovertarget="operations" popovertargetaction="hide">${texts.close}</button>
<div class="filter"><label for="filter">${texts.find}</label><input id="filter" type="search" autocomplete="off" spellcheck="false" aria-controls="operation-list"></div>
<ul id="operation-list">
${link(REFERENCE_PATH, texts.overview)}
${groups.map((group) => renderSideGroup(group, current)).join('\n')}
${link(OBJECTS_PATH, texts.objects)}
</ul>
</nav>`;
}

function renderSideGroup({ name, path, operations }: Group, current: string): string {
  const items = operations.map(({ method, path: operationPath, operation: { operationId, summary } }) => {
    const keywords = `${method} ${operationPath} ${operationId}`;
    const href = `${path === current ? '' : path}#${operationId}`;
    return `<li data-keywords="${escapeHtml(keywords)}"><a href="${escapeHtml(href)}">${escapeHtml(summary)}</a></li>`;
  });
  return `<li><details${path === current ? ' open' : ''}><summary>${escapeHtml(name)}</summary><ul>
${items.join('\n')}
</ul></details></li>`;
}

function renderOverview(document: OpenApiDocument, groups: readonly Group[], baseUrl: string): string {
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0);
  const cards = groups.map(
    ({ name, path, description, operations }) =>
      `<li><a href="${path}">${escapeHtml(name)}</a> <span class="basics-quiet">${texts.operationCount(operations.length)}</span><p>${renderText(description)}</p></li>`,
  );
  const sections = conventions(baseUrl).map(
    ({ id, title, paragraphs, code }) => `<section class="convention" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${renderParagraphs(...paragraphs)}
${code === undefined ? '' : renderCodeBlock(code)}
${id === 'errors' ? renderErrorCodes(document) : ''}
</section>`,
  );
  return `<h1>${texts.title}</h1>
<p class="basics-lead">${texts.lead(count, groups.length)}</p>
<p class="more-links"><a href="/docs/">${texts.docs}</a> <a href="/docs/sdk.html">${texts.sdk}</a> <a href="/api/openapi.json">${texts.document}</a></p>
<section aria-labelledby="groups-title">
<h2 id="groups-title">${texts.groups}</h2>
<ul class="groups">
${cards.join('\n')}
</ul>
</section>
${sections.join('\n')}`;
}

function renderErrorCodes({ components }: OpenApiDocument): string {
  const descriptions = components.schemas['ErrorCode']?.['x-enumDescriptions'] ?? {};
  const rows = Object.entries(errorStatus).map(
    ([code, status]) =>
      `<div><dt>${status} ${renderCode(code)}</dt><dd>${renderText(descriptions[code] ?? '')}</dd></div>`,
  );
  return `<dl class="errors">\n${rows.join('\n')}\n</dl>`;
}

function renderGroup({ name, description, operations }: Group): string {
  const links = operations.map(
    ({ method, operation: { operationId, summary } }) =>
      `<li>${renderMethod(method)} <a href="#${escapeHtml(operationId)}">${escapeHtml(summary)}</a></li>`,
  );
  return `<p class="basics-eyebrow">${texts.title}</p>
<h1>${escapeHtml(name)}</h1>
<p class="basics-lead">${renderText(description)}</p>
<ul class="contents">
${links.join('\n')}
</ul>
${operations.map(renderOperation).join('\n')}`;
}

function renderObjects({ components }: OpenApiDocument): string {
  const sections = Object.entries(components.schemas).map(([name, schema]) => {
    const id = escapeHtml(name);
    const type = schema.properties ? '' : `<p><span class="type">${renderType(schema)}</span></p>`;
    return `<section class="object" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><a href="#${id}">${id}</a></h2>
${type}${renderFacts(schema)}
${renderFields(listFields(schema), 'response')}
</section>`;
  });
  return `<p class="basics-eyebrow">${texts.title}</p>
<h1>${texts.objects}</h1>
<p class="basics-lead">${texts.objectsLead}</p>
${sections.join('\n')}`;
}

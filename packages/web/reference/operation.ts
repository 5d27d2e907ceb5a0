// One operation of the API reference: what it does, its fields, responses, errors and examples.

import {
  escapeHtml,
  type JsonSchema,
  type OpenApiContent,
  type OpenApiOperation,
  type OpenApiResponse,
} from '@provenance-registry/core';
import { renderCode, renderCodeBlock, renderParagraphs, renderText } from './markup.js';
import {
  type Direction,
  type Field,
  listFields,
  renderFacts,
  renderFields,
  renderNested,
  renderType,
} from './schemaFields.js';
import { texts } from './texts.js';

/** Longer examples of responses are closed at first. */
const MAX_OPEN_LINES = 16;

export interface ListedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

export function renderOperation({ method, path, operation }: ListedOperation): string {
  const { operationId, summary, description, responses } = operation;
  const id = escapeHtml(operationId);
  const [status = '', success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  return `<section class="operation" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><a href="#${id}">${escapeHtml(summary)}</a></h2>
<p class="endpoint">${renderMethod(method)} <code>${renderPath(path)}</code></p>
<div class="about">
${renderParagraphs(description)}
<h3>${texts.authentication}</h3>
${renderParagraphs(describeAuthentication(operation))}
</div>
<div class="examples">
${renderSamples(operation)}
${renderResponseExamples(success?.content ?? {})}
</div>
<div class="details">
${renderParameters(operation)}
${renderRequestBody(operation.requestBody?.content ?? {})}
${success ? renderResponse(status, success) : ''}
${renderErrors(responses)}
</div>
</section>`;
}

export function renderMethod(method: string): string {
  return `<span class="method method-${method}">${method.toUpperCase()}</span>`;
}

/** Long paths break before a slash. */
function renderPath(path: string): string {
  return escapeHtml(path).replaceAll('/', '<wbr>/');
}

/** Operations that refuse API keys say so in the reason of 403. */
function describeAuthentication({ security, responses, 'x-keyScope': scope }: OpenApiOperation): string {
  if (security.length === 0) return texts.noToken;
  if (scope === undefined) return security.length > 1 ? texts.monitoringToken : texts.operatorToken;
  return responses['403']?.description.includes('is an API key') ? texts.userToken : texts.userTokenOrKey(scope);
}

function renderParameters({ parameters = [] }: OpenApiOperation): string {
  return Object.entries(texts.parameters)
    .map(([location, title]) => {
      const found = parameters.filter((parameter) => parameter.in === location);
      const fields = found.map(({ name, schema, required }): Field => ({ name, schema, isRequired: required }));
      return found.length === 0 ? '' : `<h3>${title}</h3>\n${renderFields(fields, 'request')}`;
    })
    .join('\n');
}

function renderRequestBody(content: OpenApiContent): string {
  const [first, ...others] = Object.entries(content);
  if (!first) return '';
  const [mediaType, { schema }] = first;
  return [
    `<h3>${texts.body} <span class="media-type">${escapeHtml(mediaType)}</span></h3>`,
    renderContent(schema, 'request') || `<p>${texts.noFields}</p>`,
    ...others.map(([otherType, { schema: other, 'x-itemSchema': line }]) => {
      const title = `<h4>${escapeHtml(texts.otherBody(otherType))}</h4>`;
      if (line) return `${title}\n<p>${texts.lines} ${renderType(line)}</p>${renderNested(line, 'request')}`;
      if (!other.properties || !schema.properties) return `${title}\n${renderContent(other, 'request')}`;
      return `${title}\n${renderDifference(other, schema, mediaType)}`;
    }),
  ].join('\n');
}

/** A form that has the fields of another one: only those that differ. */
function renderDifference(schema: JsonSchema, known: JsonSchema, mediaType: string): string {
  const knownFields = new Map(listFields(known).map((field) => [field.name, JSON.stringify(field)]));
  const different = listFields(schema).filter((field) => knownFields.get(field.name) !== JSON.stringify(field));
  if (different.length === 0) return renderParagraphs(texts.sameFieldsOnly(mediaType));
  return `${renderParagraphs(texts.sameFields(mediaType))}\n${renderFields(different, 'request')}`;
}

function renderContent(schema: JsonSchema, direction: Direction): string {
  if (schema.properties) return renderFields(listFields(schema), direction);
  return `<p><span class="type">${renderType(schema)}</span></p>${renderFacts(schema)}${renderNested(schema, direction)}`;
}

function renderResponse(status: string, { description, content = {}, headers = {} }: OpenApiResponse): string {
  const [first, ...others] = Object.entries(content);
  return [
    `<h3>${texts.response(status)}</h3>`,
    renderParagraphs(first ? description : `${description} ${texts.noBody}`),
    ...(first ? [renderResponseContent(first)] : []),
    ...others.map((entry) => `${renderParagraphs(texts.otherResponse(entry[0]))}\n${renderResponseContent(entry)}`),
    renderHeaders(headers),
  ].join('\n');
}

function renderResponseContent([, { schema, 'x-itemSchema': line }]: [string, OpenApiContent[string]]): string {
  return line ? `<p>${texts.lines} ${renderType(line)}</p>` : renderContent(schema, 'response');
}

/** Those of several operations are explained once. */
function renderHeaders(headers: NonNullable<OpenApiResponse['headers']>): string {
  const entries = Object.entries(headers);
  const shared = entries.filter(([, { $ref }]) => $ref !== undefined).map(([name]) => renderCode(name));
  const own = entries.flatMap(([name, { description }]) =>
    description === undefined ? [] : [`<li>${renderCode(name)}<p>${renderText(description)}</p></li>`],
  );
  const list = own.length === 0 ? '' : `<ul class="fields">${own.join('')}</ul>`;
  return shared.length === 0 ? list : `<p class="basics-quiet">${texts.headers} ${shared.join(', ')}</p>${list}`;
}

function renderErrors(responses: OpenApiOperation['responses']): string {
  const rows = Object.entries(responses).flatMap(([status, { content }]) =>
    Object.values(content?.['application/json']?.examples ?? {}).map(
      ({ value }) => `<div><dt>${status} ${renderCode(value.code)}</dt><dd>${renderText(value.error)}</dd></div>`,
    ),
  );
  return `<h3>${texts.errors}</h3>\n<dl class="errors">\n${rows.join('\n')}\n</dl>`;
}

/** The chosen language is shown by the style sheet, so that it works without JavaScript. */
function renderSamples({ operationId, summary, 'x-codeSamples': samples }: OpenApiOperation): string {
  const choices = samples.map(({ lang, label }, index) => {
    const checked = index === 0 ? ' checked' : '';
    return `<label><input type="radio" name="${escapeHtml(operationId)}-language" value="${lang}"${checked}> ${label}</label>`;
  });
  const blocks = samples.map(
    ({ lang, label, source }) => `<div class="sample sample-${lang}">
${renderCodeBlock(source)}
<button type="button" data-copy hidden aria-label="${escapeHtml(texts.copyExample(label, summary))}">${texts.copy}</button>
</div>`,
  );
  return `<div class="samples">
<fieldset class="languages"><legend class="basics-visuallyHidden">${escapeHtml(texts.exampleLanguages(summary))}</legend>${choices.join('\n')}</fieldset>
${blocks.join('\n')}
</div>`;
}

function renderResponseExamples(content: OpenApiContent): string {
  return Object.values(content)
    .filter(({ example }) => example !== undefined)
    .map(({ example, 'x-itemSchema': line }) => {
      const title = line ? texts.linesExample : texts.responseExample;
      const source = typeof example === 'string' ? example.trimEnd() : JSON.stringify(example, null, 2);
      const isShort = source.split('\n').length <= MAX_OPEN_LINES;
      return `<details class="response-example"${isShort ? ' open' : ''}><summary>${title}</summary>${renderCodeBlock(source)}</details>`;
    })
    .join('\n');
}

// AI preferences through HTTP: of Marks, what they were when, and as Artifacts capture and sign them.

import type { AiPreferences, PreferencePeriod } from '@provenance-registry/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createMark, createUser, statusAndCode, type TestUser } from '../../../../test/support/accounts.js';
import {
  createArtifact,
  newFingerprint,
  type Registry,
  startRegistry,
  unreachableChain,
} from '../../../../test/support/artifacts.js';
import { query } from '../../../../test/support/postgres.js';
import { call } from '../../../../test/support/service.js';

let service: Registry;
let owner: TestUser;

beforeAll(async () => {
  service = await startRegistry(await unreachableChain());
  owner = await createUser(service, 'enterprise');
});

const allowed = { use: 'allowed' } as const;
const notAllowed = { use: 'notAllowed' } as const;
const constrained = { use: 'constrained', constraint: 'Ask at <https://ada.example>, "first".' } as const;

const all = (preference: AiPreferences['data_mining']): AiPreferences => ({
  data_mining: preference,
  ai_inference: preference,
  ai_training: preference,
  ai_generative_training: preference,
});

const update = (id: string, body: Record<string, unknown>) =>
  call(service, 'PUT', `/api/v1/marks/${id}`, { token: owner.token, body });
const read = async (path: string) => {
  const response = await fetch(service.url + path);
  return { headers: response.headers, text: await response.text() };
};
const register = async (markId: string) =>
  (await createArtifact(service, owner, { markId, fingerprint: newFingerprint(), filename: 'a.jpg' })).body;
const periods = async (id: string, parameters = ''): Promise<PreferencePeriod[]> =>
  (await call(service, 'GET', `/api/v1/public/marks/${id}/preferences${parameters}`)).body.preferences;

describe("a Mark's AI preferences", () => {
  it.each([
    ['nothing', {}, true, all(allowed)],
    ['allowAiTraining false', { allowAiTraining: false }, false, all(notAllowed)],
    ['allowAiTraining null', { allowAiTraining: null }, null, all(null)],
    [
      'some uses',
      { aiPreferences: { data_mining: constrained, ai_inference: allowed } },
      null,
      { ...all(null), data_mining: constrained, ai_inference: allowed },
    ],
    [
      'uses that refuse one kind of training',
      { aiPreferences: { ...all(allowed), ai_generative_training: constrained } },
      false,
      { ...all(allowed), ai_generative_training: constrained },
    ],
    [
      'both, of which the uses are the exceptions',
      { allowAiTraining: false, aiPreferences: { data_mining: allowed, ai_training: allowed } },
      false,
      { ...all(notAllowed), data_mining: allowed, ai_training: allowed },
    ],
    ['four uses that agree', { aiPreferences: all(notAllowed) }, false, all(notAllowed)],
  ])('are the effective ones when it is created with %s', async (_, fields, allowAiTraining, aiPreferences) => {
    const { status, body } = await createMark(service, owner, fields);
    expect([status, body.allowAiTraining, body.aiPreferences]).toEqual([201, allowAiTraining, aiPreferences]);
    const { body: shown } = await call(service, 'GET', `/api/v1/public/marks/${body.id}`);
    expect([shown.allowAiTraining, shown.aiPreferences]).toEqual([allowAiTraining, aiPreferences]);
    expect(await periods(body.id)).toEqual([{ since: body.createdAt, allowAiTraining, aiPreferences }]);
  });

  it.each([
    [
      'a misspelled use',
      { ai_trainig: notAllowed },
      'Unknown field aiPreferences/ai_trainig. Did you mean ai_training?',
    ],
    [
      'an unknown value',
      { ai_training: { use: 'never' } },
      /^"aiPreferences\/ai_training\/use" must be one of allowed,/,
    ],
    [
      'a text instead of an object',
      { ai_training: 'notAllowed' },
      '"aiPreferences/ai_training" must be an object or null.',
    ],
    [
      'no constraint',
      { data_mining: { use: 'constrained' } },
      '"aiPreferences/data_mining/constraint" must be present if "use" is constrained, and absent otherwise.',
    ],
    [
      'a constraint on an allowed use',
      { data_mining: { use: 'allowed', constraint: 'Ask.' } },
      /^"aiPreferences\/data_mining\/constraint" must be present if/,
    ],
    [
      'a constraint that is too long',
      { data_mining: { use: 'constrained', constraint: 'x'.repeat(501) } },
      /^"aiPreferences\/data_mining\/constraint" must be text .* \(1 to 500 characters\)\.$/,
    ],
    [
      'a constraint with an override of the writing direction',
      { data_mining: { use: 'constrained', constraint: 'a\u202Eb' } },
      /^"aiPreferences\/data_mining\/constraint" must be text/,
    ],
    ['a list', [], '"aiPreferences" must be an object'],
  ])('are refused with %s, and stay as they were', async (_, aiPreferences, error) => {
    const { body: mark } = await createMark(service, owner);
    for (const response of [
      await createMark(service, owner, { aiPreferences }),
      await update(mark.id, { aiPreferences }),
    ]) {
      expect(statusAndCode(response)).toEqual([400, 'BAD_REQUEST']);
      expect(response.body.error).toMatch(error);
    }
    expect((await call(service, 'GET', `/api/v1/public/marks/${mark.id}`)).body.aiPreferences).toEqual(all(allowed));
  });

  it('are refused when they contradict allowAiTraining', async () => {
    const body = { allowAiTraining: true, aiPreferences: { ai_training: notAllowed } };
    const response = await createMark(service, owner, body);
    expect(statusAndCode(response)).toEqual([400, 'BAD_REQUEST']);
    expect(response.body.error).toBe(
      '"allowAiTraining" must be false, as "aiPreferences" say for the two kinds of training.',
    );
    expect(response.body.problems).toMatchObject([{ path: '/allowAiTraining' }]);
  });

  it('change for the uses that are sent, and are kept with the times of their changes', async () => {
    const { body: mark } = await createMark(service, owner, { allowAiTraining: false });
    const steps: [Record<string, unknown>, boolean | null, AiPreferences][] = [
      [{ aiPreferences: { data_mining: constrained } }, false, { ...all(notAllowed), data_mining: constrained }],
      // Not a change.
      [{ name: 'Renamed' }, false, { ...all(notAllowed), data_mining: constrained }],
      [
        { aiPreferences: { ai_training: allowed } },
        false,
        { ...all(notAllowed), data_mining: constrained, ai_training: allowed },
      ],
      // The short form resets every use, although its own value stays the same.
      [{ allowAiTraining: false }, false, all(notAllowed)],
      [{ aiPreferences: {} }, false, all(notAllowed)],
      [{ allowAiTraining: true }, true, all(allowed)],
      [{ aiPreferences: all(null) }, null, all(null)],
    ];
    const expected = [{ allowAiTraining: false, aiPreferences: all(notAllowed) }];
    for (const [body, allowAiTraining, aiPreferences] of steps) {
      const { status, body: updated } = await update(mark.id, body);
      expect([status, updated.allowAiTraining, updated.aiPreferences]).toEqual([200, allowAiTraining, aiPreferences]);
      const isChange = JSON.stringify(expected[0]?.aiPreferences) !== JSON.stringify(aiPreferences);
      if (isChange) expected.unshift({ allowAiTraining: allowAiTraining as boolean, aiPreferences });
    }
    const history = await periods(mark.id);
    expect(history).toEqual(expected.map((one) => ({ ...one, since: expect.stringMatching(/Z$/) })));
    expect(history).toHaveLength(6);
    const times = history.map(({ since }) => since);
    expect(times).toEqual(times.toSorted().reverse());
    expect(times.at(-1)).toBe(mark.createdAt);
    const pages = [await periods(mark.id, '?limit=4')];
    const { body: first } = await call(service, 'GET', `/api/v1/public/marks/${mark.id}/preferences?limit=4`);
    pages.push(await periods(mark.id, `?limit=4&cursor=${first.nextCursor}`));
    expect(pages.flat()).toEqual(history);
    const events = await query(
      service.databaseUrl,
      `select data ->> 'fields' as fields from events where mark_id = $1 and type = 'mark.updated' order by id`,
      [mark.id],
    );
    const fields = ['["aiPreferences"]', '["name"]', '["aiPreferences"]', '["aiPreferences"]', '["allowAiTraining"]'];
    expect(events.map((event) => event['fields'])).toEqual([...fields, '["aiPreferences"]']);
  });

  it('have a history that is public as the Mark is, and never changes', async () => {
    const { body: mark } = await createMark(service, owner, { visibility: 'private' });
    const path = `/api/v1/public/marks/${mark.id}/preferences`;
    expect(statusAndCode(await call(service, 'GET', path))).toEqual([403, 'FORBIDDEN']);
    const { body: other } = await createMark(service, owner);
    const [entry] = await query(service.databaseUrl, 'select id from mark_preferences where mark_id = $1', [mark.id]);
    const foreign = `/api/v1/public/marks/${other.id}/preferences?cursor=${entry?.['id']}`;
    expect(statusAndCode(await call(service, 'GET', foreign))).toEqual([400, 'BAD_REQUEST']);
    for (const statement of ['delete from mark_preferences', 'update mark_preferences set since = now()']) {
      await expect(query(service.databaseUrl, statement)).rejects.toThrow('mark_preferences are never changed');
    }
  });
});

describe("an Artifact's AI preferences", () => {
  const stated = { ...all(null), data_mining: constrained, ai_generative_training: notAllowed };

  it('are those of the Mark at registration, signed, and stay what was signed', async () => {
    const { body: mark } = await createMark(service, owner, { aiPreferences: stated });
    const made = await register(mark.id);
    expect([made.aiPreferences, made.allowAiTraining]).toEqual([stated, false]);
    expect(made.metadata.allowAiTraining).toBe(false);
    expect(made.metadata).not.toHaveProperty('aiPreferences');
    await update(mark.id, { allowAiTraining: true });
    const { body: artifact } = await call(service, 'GET', `/api/v1/public/artifacts/${made.fingerprint}`);
    expect([artifact.aiPreferences, artifact.allowAiTraining]).toEqual([stated, false]);
    expect(artifact.mark.aiPreferences).toEqual(all(allowed));
    const report = await (await fetch(made.c2paAssets.manifestUrl)).json();
    const { assertions } = (report as { active_manifest: string; manifests: Record<string, { assertions: object[] }> })
      .manifests[`urn:c2pa:${made.id}`] ?? { assertions: [] };
    expect(assertions).toContainEqual(
      expect.objectContaining({
        label: 'cawg.training-mining',
        data: {
          entries: {
            'cawg.data_mining': { use: 'constrained', constraint_info: constrained.constraint },
            'cawg.ai_generative_training': { use: 'notAllowed' },
          },
        },
      }),
    );
  });

  it('are hidden under a private Mark', async () => {
    const { body: mark } = await createMark(service, owner, { visibility: 'private', aiPreferences: stated });
    const made = await register(mark.id);
    expect(made.aiPreferences).toEqual(stated);
    for (const path of [`/api/v1/public/artifacts/${made.fingerprint}`, `/artifacts/${made.fingerprint}`]) {
      const { headers, text } = await read(path);
      for (const name of ['content-usage', 'tdm-reservation', 'tdm-policy']) expect(headers.get(name)).toBeNull();
      expect(text).not.toMatch(/aiPreferences|ada\.example|tdm-/);
    }
    const report = await (await fetch(made.c2paAssets.manifestUrl)).text();
    expect(report).not.toMatch(/training-mining|ada\.example/);
  });

  it.each([
    ['allowed', { allowAiTraining: true }, 'train-ai=y', '0', false],
    ['refused', { allowAiTraining: false }, 'train-ai=n', '1', false],
    ['not specified', { allowAiTraining: null }, null, null, false],
    [
      'constrained',
      { aiPreferences: { data_mining: constrained, ai_generative_training: constrained } },
      'train-ai=n',
      '1',
      true,
    ],
    ['mixed', { allowAiTraining: true, aiPreferences: { data_mining: null } }, 'train-ai=y', null, false],
  ])('are told to crawlers: %s', async (_, fields, contentUsage, reservation, hasPolicy) => {
    const { body: mark } = await createMark(service, owner, fields);
    const { fingerprint } = await register(mark.id);
    for (const [api, page] of [
      [`/api/v1/public/artifacts/${fingerprint}`, `/artifacts/${fingerprint}`],
      [`/api/v1/public/marks/${mark.id}`, `/marks/${mark.id}`],
    ] as const) {
      const policy = hasPolicy ? service.url + page : null;
      for (const path of [api, page]) {
        const { headers } = await read(path);
        const told = ['content-usage', 'tdm-reservation', 'tdm-policy'].map((name) => headers.get(name));
        expect(told).toEqual([contentUsage, reservation, policy]);
      }
      const { text } = await read(page);
      const metaOf = (name: string) => new RegExp(`<meta name="${name}" content="([^"]*)">`).exec(text)?.[1] ?? null;
      expect([metaOf('tdm-reservation'), metaOf('tdm-policy')]).toEqual([reservation, policy]);
      if (hasPolicy)
        expect(text).toContain(
          'Conditions for data mining: \u2068Ask at &lt;https://ada.example&gt;, &quot;first&quot;.',
        );
    }
    const { headers, text } = await read('/.well-known/tdmrep.json');
    expect([headers.get('content-type'), text]).toEqual(['application/json; charset=utf-8', '[]']);
  });
});

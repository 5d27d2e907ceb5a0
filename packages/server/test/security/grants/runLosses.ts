// Tests that are made of the table: one for each cell. A grant that ends has worked before; one that stays says why, and works.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomUUID } from '../../../../../test/support/random.js';
import { signUp } from '../../../../../test/support/service.js';
import { checkGrants, type Results, useLinks, waitForEvents } from './checks.js';
import { losses } from './losses.js';
import { type Cell, type GrantId, grants, type LossId, lossGroups, reasons } from './table.js';
import { createWorld, requestLinks, type Stage, startStage } from './world.js';

const lossNames: Readonly<Record<LossId, string>> = {
  ...lossGroups.account,
  ...lossGroups.organization,
  ...lossGroups.other,
};
export const lossIds = Object.keys(lossNames) as LossId[];
const grantIds = Object.keys(grants) as GrantId[];

/** Each holder waits most of the time, for mails and events. */
const HOLDERS_AT_ONCE = 3;

interface Outcome {
  readonly before: Results;
  readonly after: Results;
}

/**
 * The tests of these columns of the table, with one service and one holder of all grants for each column. Returns how other
 * tests of the file get the service.
 */
export function describeLosses(ids: readonly LossId[]): () => Stage {
  let stage: Stage;
  const outcomes: Promise<Outcome>[] = [];

  beforeAll(async () => {
    stage = await startStage();
    const working = await useLinksOfAnotherAccount(stage);
    for (const [index, id] of ids.entries()) {
      const isFree = Promise.allSettled(outcomes.slice(0, index + 1 - HOLDERS_AT_ONCE));
      outcomes.push(isFree.then(() => lose(stage, id, working)));
    }
    // Each is awaited by its own tests.
    for (const outcome of outcomes) outcome.catch(() => {});
  });
  afterAll(async () => {
    await Promise.allSettled(outcomes);
    await stage.provider.stop();
  });

  describe.each(ids)('%s', (loss) => {
    let outcome: Outcome;
    beforeAll(async () => {
      outcome = (await outcomes[ids.indexOf(loss)]) as Outcome;
    });

    for (const id of grantIds.filter((id) => isTested(id, loss))) {
      const cell: Cell = grants[id].cells[loss];
      const isEnding = endsBy(id, loss);
      const effect = cell === 'ends' ? 'ends it' : cell === 'suspended' ? 'suspends it' : `leaves it. ${reasons[cell]}`;
      it(`${grants[id].name}: ${lossNames[loss]} ${effect}`, () => {
        const { before, after } = outcome;
        expect({ before: before[id], after: after[id] }).toEqual({ before: true, after: !isEnding });
      });
    }
  });
  return () => stage;
}

function endsBy(id: GrantId, loss: LossId): boolean {
  const cell = grants[id].cells[loss];
  return cell === 'ends' || cell === 'suspended';
}

/** Links are used up by a test, and there is nothing to test where there is no such grant. */
function isTested(id: GrantId, loss: LossId): boolean {
  const isLink = id === 'verificationLink' || id === 'resetLink';
  return endsBy(id, loss) || (!isLink && grants[id].cells[loss] !== 'unverified');
}

async function lose(stage: Stage, loss: LossId, working: Results): Promise<Outcome> {
  const world = await createWorld(stage, { isVerified: loss !== 'unverifiedReset' });
  const before = await checkGrants(world, await waitForEvents(world), () => true);
  const isWaiting = await waitForEvents(world);
  await losses[loss](world);
  const after = await checkGrants(world, isWaiting, (id) => !endsBy(id, loss));
  const links = endsBy('resetLink', loss) ? await useLinks(world, world.links) : {};
  for (const stream of Object.values(world.streams)) stream.close();
  return { before: { ...before, ...working }, after: { ...after, ...links } };
}

async function useLinksOfAnotherAccount(stage: Stage): Promise<Results> {
  const account = await signUp(stage.service);
  const { verification } = await requestLinks(stage, account, `${randomUUID()}@example.com`);
  const other = await signUp(stage.service);
  const { reset } = await requestLinks(stage, other, `${randomUUID()}@example.com`);
  return useLinks(stage, { verification, reset });
}

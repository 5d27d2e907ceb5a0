// Queries about what the AI preferences of Marks were when. Triggers of `marks` write them.

import type { MarkPreferences } from '../../../domain/ports/index.js';
import { Queries } from '../queries.js';

export class MarkPreferenceQueries extends Queries implements MarkPreferences {
  async list({ markId, limit, before }: { markId: string; limit: number; before: string | undefined }) {
    const ofMark = this.database
      .selectFrom('mark_preferences')
      .select(['id', 'since', 'allow_ai_training as allowAiTraining', 'ai_preferences as aiPreferences'])
      .where('mark_id', '=', markId);
    if (before !== undefined && !(await ofMark.where('id', '=', before).executeTakeFirst())) return undefined;
    const page = before === undefined ? ofMark : ofMark.where('id', '<', before);
    return page.orderBy('id', 'desc').limit(limit).execute();
  }
}

// Queries about what the AI preferences of Marks were when. Triggers of `marks` write them.

import type { MarkPreferences } from '../../../domain/ports/index.js';
import type { Database } from '../../connection.js';

export function markPreferenceQueries(database: Database): MarkPreferences {
  return {
    async list({ markId, limit, before }) {
      const ofMark = database
        .selectFrom('mark_preferences')
        .select(['id', 'since', 'allow_ai_training as allowAiTraining', 'ai_preferences as aiPreferences'])
        .where('mark_id', '=', markId);
      if (before !== undefined && !(await ofMark.where('id', '=', before).executeTakeFirst())) return undefined;
      const page = before === undefined ? ofMark : ofMark.where('id', '<', before);
      return page.orderBy('id', 'desc').limit(limit).execute();
    },
  };
}

// What was asked and what was answered, written down by those who asked. Whatever contradicts an earlier answer is
// noticed here, at once or when everything is quiet again.

/**
 * @typedef {object} Creation
 * @property {`0x${string}`} fingerprint
 * @property {string} key
 * @property {import('./clients.mjs').Account} account
 * @property {string} markId
 * @property {boolean} isRaced others ask for the same fingerprint
 * @property {Uint8Array<ArrayBuffer> | undefined} content sent along, when it is
 * @property {`0x${string}` | undefined} previous
 * @property {string | undefined} id as it was answered
 * @property {boolean} isTaken somebody else has the fingerprint: a 409 said so
 * @property {'public' | 'private' | 'unknown'} visibility
 */

/** @typedef {'lost' | 'doubled' | 'stuck' | 'strange'} Trouble */
/** @typedef {ReturnType<typeof openLedger>} Ledger */

export function openLedger() {
  /** @type {Creation[]} */
  const creations = [];
  /** @type {{ id: string, account: import('./clients.mjs').Account }[]} */
  const marks = [];
  /** @type {{ trouble: Trouble, what: string }[]} */
  const troubles = [];
  const counts = { requests: 0, answered: 0, unanswered: 0, unavailable: 0, refused: 0, creations: 0 };
  /** @type {Set<() => void>} */
  const listeners = new Set();

  /**
   * @param {Trouble} trouble
   * @param {string} what
   */
  function complain(trouble, what) {
    troubles.push({ trouble, what });
  }

  return {
    creations,
    marks,
    troubles,
    counts,
    complain,
    /** The creations that were answered with success. */
    known: () => creations.filter(({ id }) => id !== undefined),
    /**
     * @param {Creation} creation
     * @param {string} id
     */
    created(creation, id) {
      if (creation.id === undefined) {
        creation.id = id;
        counts.creations += 1;
      } else if (creation.id !== id) {
        complain('doubled', `the key ${creation.key} was answered with ${creation.id}, then with ${id}`);
      }
      for (const tell of listeners) tell();
    },
    /** @param {Creation} creation */
    refused(creation) {
      counts.refused += 1;
      if (creation.id !== undefined) complain('lost', `${creation.id} was answered, and its key is refused`);
    },
    /** Resolves with the creation that is answered so many answers from now. @param {number} count */
    answers(count) {
      return new Promise((resolve) => {
        let left = count;
        const tell = () => {
          left -= 1;
          if (left > 0) return;
          listeners.delete(tell);
          resolve(undefined);
        };
        listeners.add(tell);
      });
    },
  };
}

// What clients requested and which responses they got. Responses that contradict earlier ones are recorded as violations.

/**
 * @typedef {object} Creation
 * @property {`0x${string}`} fingerprint
 * @property {string} key
 * @property {import('./clients.mjs').Account} account
 * @property {string} markId
 * @property {boolean} isRaced other requests create the same fingerprint
 * @property {Uint8Array<ArrayBuffer> | undefined} content uploaded with the request
 * @property {boolean} wantsImage the content is an image, and the response the image with its manifest embedded
 * @property {`0x${string}` | undefined} previous
 * @property {string | undefined} id from the response
 * @property {boolean} isConflict refused with 409: the fingerprint is registered
 * @property {'public' | 'private' | 'unknown'} visibility
 */

/** @typedef {'lost' | 'duplicated' | 'stuck' | 'unexpected'} ViolationKind */
/** @typedef {ReturnType<typeof createLedger>} Ledger */

export function createLedger() {
  /** @type {Creation[]} */
  const creations = [];
  /** @type {{ id: string, account: import('./clients.mjs').Account }[]} */
  const marks = [];
  /** Signed images that clients received. @type {{ fingerprint: `0x${string}`, id: string }[]} */
  const images = [];
  /** @type {{ kind: ViolationKind, message: string }[]} */
  const violations = [];
  const counts = { requests: 0, answered: 0, unanswered: 0, unavailable: 0, refused: 0, creations: 0, images: 0 };
  /** @type {Set<() => void>} */
  const listeners = new Set();

  /** @param {ViolationKind} kind @param {string} message */
  function recordViolation(kind, message) {
    violations.push({ kind, message });
  }

  return {
    creations,
    marks,
    images,
    violations,
    counts,
    recordViolation,
    successfulCreations: () => creations.filter(({ id }) => id !== undefined),
    /** @param {Creation} creation @param {string} id */
    recordCreation(creation, id) {
      if (creation.id === undefined) {
        creation.id = id;
        counts.creations += 1;
      } else if (creation.id !== id) {
        recordViolation('duplicated', `idempotency key ${creation.key} returned ${creation.id}, then ${id}`);
      }
      for (const notify of listeners) notify();
    },
    /** @param {string} id of the Artifact @param {`0x${string}`} fingerprint */
    recordImage(id, fingerprint) {
      counts.images += 1;
      images.push({ id, fingerprint });
    },
    /** @param {Creation} creation */
    recordRefusal(creation) {
      counts.refused += 1;
      if (creation.id !== undefined)
        recordViolation('lost', `${creation.id} was created, and a retry with its key is refused`);
    },
    /** Resolves after that many further successful creations. @param {number} count */
    waitForCreations(count) {
      return new Promise((resolve) => {
        let left = count;
        const notify = () => {
          left -= 1;
          if (left > 0) return;
          listeners.delete(notify);
          resolve(undefined);
        };
        listeners.add(notify);
      });
    },
  };
}

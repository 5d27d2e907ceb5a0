// The memory of all request bodies together. When it is used up, the client that holds the most gives some of it up for a
// client that holds less, and of the bodies of one client the largest for a smaller one.

export interface MemoryReservation {
  /** False when there is no room. Bytes that were added before stay. */
  add(bytes: number): boolean;
  /** Makes sure that the reservation is not given up for others any more. */
  keep(): void;
  release(): void;
}

interface State {
  bytes: number;
  /** Must release the holding. */
  giveUp: (() => void) | undefined;
}

export class MemoryBudget {
  readonly #clients = new Map<string, { bytes: number; readonly holdings: Set<State> }>();
  #heldBytes = 0;

  constructor(private readonly maxBytes: number) {}

  get heldBytes(): number {
    return this.#heldBytes;
  }

  hold(client: string, giveUp: () => void): MemoryReservation {
    const state: State = { bytes: 0, giveUp };
    return {
      add: (bytes) => {
        if (!this.#makeRoom(client, state, bytes)) return false;
        this.#change(client, state, bytes);
        return true;
      },
      keep() {
        state.giveUp = undefined;
      },
      release: () => this.#change(client, state, -state.bytes),
    };
  }

  #change(client: string, state: State, bytes: number): void {
    if (bytes === 0) return;
    const owner = this.#clients.get(client) ?? { bytes: 0, holdings: new Set() };
    this.#clients.set(client, owner);
    state.bytes += bytes;
    owner.bytes += bytes;
    this.#heldBytes += bytes;
    if (state.bytes > 0) owner.holdings.add(state);
    else owner.holdings.delete(state);
    if (owner.bytes === 0) this.#clients.delete(client);
  }

  #makeRoom(client: string, state: State, bytes: number): boolean {
    while (this.#heldBytes + bytes > this.maxBytes) {
      const victim = this.#findVictim(client, state.bytes + bytes);
      if (!victim?.giveUp || victim === state) return false;
      victim.giveUp();
      if (victim.bytes > 0) return false;
    }
    return true;
  }

  /** What another client holds, if it then still holds no less than this one; otherwise a larger body of this client. */
  #findVictim(client: string, neededBytes: number): State | undefined {
    const own = this.#clients.get(client)?.bytes ?? 0;
    let heaviest = { client, bytes: own };
    for (const [other, { bytes }] of this.#clients) {
      if (bytes > heaviest.bytes) heaviest = { client: other, bytes };
    }
    const isOther = heaviest.bytes > own + neededBytes;
    const largest = this.#largestHolding(isOther ? heaviest.client : client);
    return largest && (isOther || largest.bytes > neededBytes) ? largest : undefined;
  }

  #largestHolding(client: string): State | undefined {
    let largest: State | undefined;
    for (const state of this.#clients.get(client)?.holdings ?? []) {
      if (state.giveUp && state.bytes > (largest?.bytes ?? 0)) largest = state;
    }
    return largest;
  }
}

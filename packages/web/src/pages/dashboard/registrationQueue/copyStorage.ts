// Keeps signed copies until the user has removed their rows. IndexedDB holds them over a reload or a crash; where it is
// blocked or full, the memory of this tab does.

export interface CopyStorage {
  /** Resolves to whether the copy survives a reload. Resolves only when it does, or cannot. */
  put(id: string, copy: Blob): Promise<boolean>;
  get(id: string): Promise<Blob | undefined>;
  delete(id: string): void;
  /** The rows whose copies are stored. */
  ids(): Promise<ReadonlySet<string>>;
}

const STORE = 'copies';

/** `openDatabase` throws or rejects where the browser blocks storage. */
export function createCopyStorage(openDatabase: () => Promise<IDBDatabase>): CopyStorage {
  const memory = new Map<string, Blob>();
  let opening: Promise<IDBDatabase> | undefined;

  async function run<T>(mode: IDBTransactionMode, request: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
    opening ??= openDatabase();
    const transaction = (await opening).transaction(STORE, mode, { durability: 'strict' });
    return new Promise((resolve, reject) => {
      const pending = request(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(pending.result);
      transaction.onabort = () => reject(transaction.error);
    });
  }

  return {
    async put(id, copy) {
      memory.set(id, copy);
      try {
        await run('readwrite', (store) => store.put(copy, id));
        memory.delete(id);
        return true;
      } catch {
        return false;
      }
    },
    async get(id) {
      const inMemory = memory.get(id);
      if (inMemory) return inMemory;
      const stored: unknown = await run('readonly', (store) => store.get(id)).catch(() => undefined);
      return stored instanceof Blob ? stored : undefined;
    },
    delete(id) {
      memory.delete(id);
      run('readwrite', (store) => store.delete(id)).catch(() => {});
    },
    async ids() {
      const keys = await run('readonly', (store) => store.getAllKeys()).catch(() => []);
      return new Set([...memory.keys(), ...keys.map(String)]);
    },
  };
}

export function openCopyDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('provenance-signed-copies', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

// The parts of Chromium's extension API that are used here.

declare namespace chrome {
  interface ChromeEvent<Listener> {
    addListener(listener: Listener): void;
  }
  interface StorageArea {
    get(key: string): Promise<Record<string, unknown>>;
    set(items: Record<string, unknown>): Promise<void>;
    remove(key: string): Promise<void>;
  }
  interface OriginPermissions {
    origins: string[];
  }

  namespace contextMenus {
    interface OnClickData {
      menuItemId: string | number;
      srcUrl?: string;
      linkUrl?: string;
      pageUrl?: string;
      frameUrl?: string;
    }
    function create(item: { id: string; title: string; contexts: ['image' | 'audio' | 'link'] }): void;
    const onClicked: ChromeEvent<(info: OnClickData) => void>;
  }
  namespace permissions {
    function contains(permissions: OriginPermissions): Promise<boolean>;
    function request(permissions: OriginPermissions): Promise<boolean>;
  }
  namespace runtime {
    const onInstalled: ChromeEvent<(details: { reason: string }) => void>;
    function getURL(path: string): string;
    function openOptionsPage(): Promise<void>;
  }
  namespace storage {
    const local: StorageArea;
    const session: StorageArea;
    const onChanged: ChromeEvent<(changes: Record<string, unknown>, area: string) => void>;
  }
  namespace windows {
    function create(options: { url: string; type: 'popup'; width: number; height: number }): Promise<unknown>;
  }
}

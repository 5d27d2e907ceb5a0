// The service worker: adds the menu items, and opens the panel when one is chosen. It sends no request to anyone.

import { isMenuItem, menuItems, putRequest } from './checkRequest.js';
import { menuTitles } from './texts/en.js';

const PANEL = { width: 440, height: 720 } as const;

chrome.runtime.onInstalled.addListener(({ reason }) => {
  for (const item of menuItems) chrome.contextMenus.create({ id: item, title: menuTitles[item], contexts: [item] });
  if (reason === 'install') void chrome.runtime.openOptionsPage();
});

chrome.contextMenus.onClicked.addListener((info) => void openPanel(info));

async function openPanel({ menuItemId, srcUrl, linkUrl, pageUrl, frameUrl }: chrome.contextMenus.OnClickData) {
  const url = menuItemId === 'link' ? linkUrl : srcUrl;
  if (!isMenuItem(menuItemId) || url === undefined) return;
  const id = await putRequest({ item: menuItemId, url, pageUrl: frameUrl ?? pageUrl });
  await chrome.windows.create({
    url: chrome.runtime.getURL(`panel.html#${id ?? 'too-long'}`),
    type: 'popup',
    ...PANEL,
  });
}

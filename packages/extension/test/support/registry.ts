// A registry behind a recording proxy, a server of files, and the extension, which does not know the registry yet.

import { createRegistrant } from '../../../../test/support/registrants.js';
import { startService } from '../../../../test/support/service.js';
import { drawPicture } from '../../../web/test/support/pictures.js';
import { startRecordingProxy } from '../../../web/test/support/recordingProxy.js';
import { startExtension } from './extension.js';
import { startFileServer } from './fileServer.js';

export async function startExtensionWithRegistry(markName: string) {
  const [proxy, extension, server, picture] = await Promise.all([
    startRecordingProxy(),
    startExtension(),
    startFileServer(),
    drawPicture(1),
  ]);
  const service = await startService({ BASE_URL: proxy.url, REGISTRY_NAME: 'Example Press' });
  proxy.forwardTo(service.url);
  const ada = await createRegistrant(service.url);
  const mark = await ada.client.createMark({ name: markName });
  const pageUrl = server.url('site.example', '/');
  return { proxy, extension, server, service, ada, mark, pageUrl, picture };
}

// The panel: renders the check of one file.

import '@provenance-registry/web/ui/styles/tokens.css';
import '@provenance-registry/web/ui/styles/reset.css';
import '@provenance-registry/web/ui/styles/elements.css';
import '../extension.css';

import { createRoot } from 'preact/compat/client';
import * as texts from '../texts/en.js';
import { FileCheck } from './fileCheck.js';
import { Panel } from './Panel.js';

document.title = `${texts.panelTitle} – ${texts.extensionName}`;
const check = new FileCheck();
addEventListener('dragover', (event) => event.preventDefault());
addEventListener('drop', (event) => {
  event.preventDefault();
  check.choose(event.dataTransfer?.files[0]);
});
createRoot(document.body).render(<Panel check={check} />);
void check.start(location.hash.slice(1));

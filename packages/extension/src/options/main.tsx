// Renders the options.

import '@provenance-registry/web/ui/styles/tokens.css';
import '@provenance-registry/web/ui/styles/reset.css';
import '@provenance-registry/web/ui/styles/elements.css';
import '../extension.css';

import { createRoot } from 'preact/compat/client';
import { readPin } from '../registryPin.js';
import * as texts from '../texts/en.js';
import { Options } from './Options.js';

document.title = `${texts.optionsTitle} – ${texts.extensionName}`;
const pin = await readPin();
createRoot(document.body).render(<Options initialPin={pin} />);

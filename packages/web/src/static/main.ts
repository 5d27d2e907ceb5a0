// What documents without the application add where JavaScript is enabled: copy buttons, the filter and the remembered
// language of the API reference.

import '../ui/styles/tokens.css';
import '../ui/styles/reset.css';
import '../ui/styles/frame.css';
import '../ui/styles/elements.css';
import './static.css';
import './reference.css';
import { showCopyButtons } from './copyButtons.js';
import { enhanceReference } from './reference.js';

showCopyButtons();
enhanceReference();

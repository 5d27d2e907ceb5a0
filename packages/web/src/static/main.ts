// What documents without the application add where JavaScript is enabled: copy buttons, the filter and the remembered
// language of the API reference.

import '../styles.css';
import '../ui/basics.css';
import '../ui/print.css';
import './static.css';
import './reference.css';
import { showCopyButtons } from './copyButtons.js';
import { enhanceReference } from './reference.js';

showCopyButtons();
enhanceReference();

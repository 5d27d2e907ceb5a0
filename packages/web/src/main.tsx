// Renders the app.

import './ui/styles/tokens.css';
import './ui/styles/reset.css';
import './ui/styles/frame.css';
import './ui/styles/elements.css';

import { StrictMode } from 'preact/compat';
import { createRoot } from 'preact/compat/client';
import { App } from './App.js';

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

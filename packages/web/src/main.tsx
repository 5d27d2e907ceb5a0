// Renders the app.

import { StrictMode } from 'preact/compat';
import { createRoot } from 'preact/compat/client';
import { App } from './App.js';
import './styles.css';
import './ui/basics.css';
import './ui/print.css';

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

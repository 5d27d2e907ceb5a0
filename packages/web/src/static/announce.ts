// Tells screen readers what has changed.

import * as basics from '../ui/layout/basics.module.css';

const region = document.createElement('p');
region.role = 'status';
region.className = basics.visuallyHidden;
document.body.append(region);

export function announce(text: string): void {
  region.textContent = text;
}

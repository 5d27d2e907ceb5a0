// Tells screen readers what has changed.

export function announce(text: string): void {
  const region = document.getElementById('announcement');
  if (region) region.textContent = text;
}

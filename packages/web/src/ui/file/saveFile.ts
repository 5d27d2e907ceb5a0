// Hands content to the browser's downloads.

/** How long browsers may take to start a download before its URL is revoked. */
const REVOKE_DELAY_MS = 60_000;

export function saveFile(content: Blob, filename: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_DELAY_MS);
}

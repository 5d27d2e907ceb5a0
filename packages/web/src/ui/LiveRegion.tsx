// Where screen readers find announcements. Rendered once.

import { useAnnouncement } from './announcements.js';

export function LiveRegion() {
  const { text, number } = useAnnouncement();
  return (
    <div className="visually-hidden" role="status">
      {/* Only a new element is announced when the text is the same as before. */}
      <span key={number}>{text}</span>
    </div>
  );
}

// A custom element for other websites: `<provenance-badge fingerprint="0x…">` shows the badge of a file with a link to its
// page. Requests that one image and nothing else; uses no cookies.

/** The registry serves this script. */
const scriptUrl = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href;
const ELEMENT_NAME = 'provenance-badge';
const HEIGHT_PX = 40;

class ProvenanceBadge extends HTMLElement {
  static readonly observedAttributes = ['fingerprint'];

  attributeChangedCallback(): void {
    const fingerprint = this.getAttribute('fingerprint') ?? '';
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const isValid = /^0x[0-9a-f]{64}$/.test(fingerprint);
    // Without a valid fingerprint, the element shows its own content.
    root.replaceChildren(isValid ? this.#createLink(fingerprint) : document.createElement('slot'));
  }

  #createLink(fingerprint: string): HTMLElement {
    const image = new Image();
    // The content of the element may not be parsed yet: set the text again when the image has loaded.
    const setAltText = () => {
      image.alt = this.textContent.trim() || 'Provenance of this file';
    };
    setAltText();
    image.addEventListener('load', setAltText);
    image.height = HEIGHT_PX;
    image.crossOrigin = 'anonymous';
    image.referrerPolicy = 'no-referrer';
    image.src = new URL(`badge/${fingerprint}.svg`, scriptUrl).href;
    const link = document.createElement('a');
    link.href = new URL(`artifacts/${fingerprint}`, scriptUrl).href;
    link.append(image);
    return link;
  }
}

// A page may include the script twice.
if (!customElements.get(ELEMENT_NAME)) customElements.define(ELEMENT_NAME, ProvenanceBadge);

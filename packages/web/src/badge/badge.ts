// For other people's pages: `<provenance-badge fingerprint="0x…">` becomes the picture that says whether the file is
// registered, with a link to its page. Asks for that one picture and nothing else; sets no cookie, and sends none.

/** Where this script came from is where the registry is. */
const source = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : location.href;
const NAME = 'provenance-badge';
const HEIGHT = 40;

class ProvenanceBadge extends HTMLElement {
  static readonly observedAttributes = ['fingerprint'];

  attributeChangedCallback(): void {
    const fingerprint = this.getAttribute('fingerprint') ?? '';
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const isOne = /^0x[0-9a-f]{64}$/.test(fingerprint);
    // Without a fingerprint, what the element has between its tags is all there is.
    root.replaceChildren(isOne ? this.#linkTo(fingerprint) : document.createElement('slot'));
  }

  #linkTo(fingerprint: string): HTMLElement {
    const image = new Image();
    // Those words are read to whoever does not see the picture; they may not have arrived yet.
    const describe = () => {
      image.alt = this.textContent.trim() || 'Provenance of this file';
    };
    describe();
    image.addEventListener('load', describe);
    image.height = HEIGHT;
    image.crossOrigin = 'anonymous';
    image.referrerPolicy = 'no-referrer';
    image.src = new URL(`badge/${fingerprint}.svg`, source).href;
    const link = document.createElement('a');
    link.href = new URL(`artifacts/${fingerprint}`, source).href;
    link.append(image);
    return link;
  }
}

// A page may have the script twice.
if (!customElements.get(NAME)) customElements.define(NAME, ProvenanceBadge);

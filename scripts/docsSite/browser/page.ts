// The script of every page of the documentation: buttons that copy code, and the search box, whose script and index are loaded
// when it is used. Without it, the pages lack only those.

const COPIED_MS = 2_000;

for (const code of document.querySelectorAll('article pre')) addCopyButton(code);
const box = document.querySelector<HTMLElement>('.docs-search');
if (box) prepareSearch(box);
showCurrentPage();
// It works by /theme.js of the service.
if (location.protocol === 'file:') document.querySelector('.docs-theme')?.remove();

/** The navigation scrolls on its own, and may be longer than the window. */
function showCurrentPage(): void {
  const navigation = document.querySelector<HTMLElement>('.docs-navigation');
  const current = navigation?.querySelector<HTMLElement>('[aria-current]');
  if (navigation && current) navigation.scrollTop = current.offsetTop - navigation.clientHeight / 2;
}

function addCopyButton(code: Element): void {
  const frame = document.createElement('div');
  frame.className = 'code';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    button.textContent = (await copy(code.textContent ?? '')) ? 'Copied' : 'Could not copy';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  code.replaceWith(frame);
  frame.append(code, button);
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function prepareSearch(box: HTMLElement): void {
  const input = box.querySelector('input');
  if (!input) return;
  input.addEventListener('focus', loadSearch, { once: true });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

/** The index first: the search reads it when it starts. */
function loadSearch(): void {
  const { search, index } = document.querySelector<HTMLScriptElement>('script[data-search]')?.dataset ?? {};
  for (const url of [index, search]) {
    const script = document.createElement('script');
    script.src = url ?? '';
    // In this order.
    script.async = false;
    script.addEventListener('error', () => {
      const status = document.querySelector('.docs-results [role=status]');
      if (status) status.textContent = 'The search could not be loaded.';
      document.querySelector('.docs-results')?.removeAttribute('hidden');
    });
    document.head.append(script);
  }
}

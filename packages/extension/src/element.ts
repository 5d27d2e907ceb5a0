// Builds elements. Texts become text nodes, so that markup in untrusted names is shown and never parsed.

export type Child = Node | string | undefined | false;

type Attributes = Readonly<Record<string, string | boolean | (() => void) | undefined>>;

/** Functions are listeners, named by their event; `true` sets an attribute without a value. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') created.addEventListener(key, () => value());
    else if (value !== undefined && value !== false) created.setAttribute(key, value === true ? '' : value);
  }
  created.append(...children.filter((child) => child !== undefined && child !== false));
  return created;
}

/** A part of a page that is replaced while the user may be in it. */
export function replaceContent(container: HTMLElement, ...children: readonly Child[]): void {
  const hadFocus = container.contains(document.activeElement);
  container.replaceChildren(...children.filter((child) => child !== undefined && child !== false));
  if (!hadFocus) return;
  container.tabIndex = -1;
  container.focus();
}

/** An untrusted name or text, which cannot reorder what is around it. */
export function isolate(text: string): HTMLElement {
  return element('bdi', {}, text);
}

export function button(label: string, click: () => void): HTMLButtonElement {
  return element('button', { type: 'button', click }, label);
}

/** Opens in a new tab, without telling from where. */
export function link(href: string, label: Child): HTMLAnchorElement {
  return element('a', { href, target: '_blank', rel: 'noreferrer' }, label);
}

/** Names and values. */
export function facts(...entries: readonly (readonly [name: string, ...value: readonly Child[]] | undefined)[]) {
  const rows = entries.filter((entry) => entry !== undefined);
  return element(
    'dl',
    { class: 'facts' },
    ...rows.map(([name, ...value]) => element('div', {}, element('dt', {}, name), element('dd', {}, ...value))),
  );
}

// The methods of each path, for requests with another method.

import type { FastifyInstance } from 'fastify';

/** Must be called before routes are added. The result lists the methods of a request's path; none if it is unknown. */
export function trackMethods(app: FastifyInstance): (url: string) => string[] {
  const methodsByPath = new Map<string, Set<string>>();
  const patterns = new Map<string, RegExp>();

  app.addHook('onRoute', ({ method, url }) => {
    const methods = methodsByPath.get(url) ?? new Set();
    for (const one of Array.isArray(method) ? method : [method]) methods.add(one);
    methodsByPath.set(url, methods);
    if (/[:*]/.test(url)) patterns.set(url, toPattern(url));
  });

  return (url) => {
    const path = url.split('?', 1)[0] ?? '';
    const paths = [path, ...[...patterns].filter(([, pattern]) => pattern.test(path)).map(([route]) => route)];
    const methods = new Set(paths.flatMap((one) => [...(methodsByPath.get(one) ?? [])]));
    // Preflight requests are answered on whole subtrees, whether or not a path in them exists.
    return methods.size === 1 && methods.has('OPTIONS') ? [] : [...methods].sort();
  };
}

function toPattern(url: string): RegExp {
  const escaped = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);
}

import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A path and its query; `state` contains what must not be in a URL. */
interface Location {
  path: string;
  query: URLSearchParams;
  state: unknown;
}

/** What a page gets of its location. `id`: the variable part of the path. */
export type PageProps = Pick<Location, 'query' | 'state'> & { id: string };

const navigated = 'mailvet-navigated';

function currentLocation(): Location {
  return { path: location.pathname, query: new URLSearchParams(location.search), state: history.state };
}

/** Navigates; `replace` replaces the history entry. */
export function navigate(
  url: string,
  { state = null, replace = false }: { state?: unknown; replace?: boolean } = {},
): void {
  if (replace) history.replaceState(state, '', url);
  else history.pushState(state, '', url);
  window.dispatchEvent(new Event(navigated));
}

/** The current location, also after "back". */
export function useLocation(): Location {
  const [current, setLocation] = useState(currentLocation);
  useEffect(() => {
    const update = (): void => setLocation(currentLocation());
    window.addEventListener('popstate', update);
    window.addEventListener(navigated, update);
    return () => {
      window.removeEventListener('popstate', update);
      window.removeEventListener(navigated, update);
    };
  }, []);
  return current;
}

/** A path with the parts of a query that are not empty, not zero and not false. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | boolean>>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) params.set(name, String(value));
  return params.size > 0 ? `${path}?${params}` : path;
}

/** The number of entries before the page that a query asks for. */
export function skipIn(query: URLSearchParams): number {
  return Math.max(0, Number.parseInt(query.get('skip') ?? '0', 10) || 0);
}

interface LinkProps {
  to: string;
  class?: string;
  current?: boolean;
  children: ComponentChildren;
}

/** A link within the application; modifier keys keep their meaning. */
export function Link({ to, current = false, children, class: className }: LinkProps) {
  return (
    <a
      href={to}
      class={className}
      aria-current={current ? 'page' : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}

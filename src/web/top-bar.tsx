import { useEffect, useState } from 'preact/hooks';
import { formatAmount } from '../model/amount.js';
import { UntrustedText } from '../report/components/domain-name.js';
import { pages } from '../wire/app.js';
import { Menu } from './parts/menu.js';
import { Link, navigate } from './router.js';
import { call } from './server/call.js';
import { useAction } from './server/use-answer.js';
import { mayOpen, useSession } from './session.js';
import { chooseTheme, chosenTheme, type Theme, themes } from './theme-choice.js';

/** Navigation, and the signed-in user. */
export function TopBar({ path }: { path: string }) {
  const { session } = useSession();
  const { who } = session;
  useSlashKey();
  return (
    <header class="top-bar">
      <Link to="/" class="brand">
        mailvet
      </Link>
      <nav aria-label="Pages">
        {pages
          .filter((page) => 'name' in page && mayOpen(who, page))
          .map((page) => (
            <Link
              key={page.path}
              to={page.path}
              current={page.path === '/' ? path === '/' : path.startsWith(page.path)}
            >
              {'name' in page && page.name}
            </Link>
          ))}
      </nav>
      <WhoMenu />
    </header>
  );
}

function WhoMenu() {
  const { session, setSession } = useSession();
  const { who, by_proxy: isByProxy } = session;
  const signOut = useAction(async (signal, everywhere: boolean) =>
    setSession(await call('signOut', { body: { everywhere }, signal })),
  );
  return (
    <Menu
      name={`${who.name}: settings and sign out`}
      label={
        <>
          <UntrustedText text={who.name} class="who" /> ▾
        </>
      }
    >
      {who.kind === 'key' && (
        <p class="muted small">
          Plan <UntrustedText text={who.plan} /> ·{' '}
          {who.credits === null ? 'credits without limit' : `${formatAmount(who.credits, 'credit')} left`}
        </p>
      )}
      <ThemeChoice />
      <Link to="/account">Account and sessions</Link>
      {!isByProxy && (
        <>
          <button type="button" onClick={() => signOut.start(false)}>
            Sign out
          </button>
          <button type="button" onClick={() => signOut.start(true)}>
            Sign out everywhere
          </button>
        </>
      )}
    </Menu>
  );
}

const themeNames: Record<Theme, string> = { system: 'System', light: 'Light', dark: 'Dark' };

function ThemeChoice() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <fieldset class="theme">
      <legend>Colors</legend>
      {themes.map((each) => (
        <label key={each}>
          <input
            type="radio"
            name="theme"
            checked={theme === each}
            onChange={() => {
              setTheme(each);
              chooseTheme(each);
            }}
          />
          {themeNames[each]}
        </label>
      ))}
    </fieldset>
  );
}

/** `/` focuses the address field, unless another field has the focus. */
function useSlashKey(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null) return;
      event.preventDefault();
      const field = document.getElementById('check-field');
      if (field === null) navigate('/', { state: { focus: true } });
      else field.focus();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

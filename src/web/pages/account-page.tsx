import { useState } from 'preact/hooks';
import { UntrustedText } from '../../report/components/domain-name.js';
import type { Column } from '../../report/components/panel.js';
import type { OwnSession } from '../../wire/app.js';
import { Button } from '../parts/button.js';
import { PageHead } from '../parts/page-head.js';
import { ProblemNote } from '../parts/remote-content.js';
import { Things } from '../parts/things.js';
import { RelativeTime } from '../parts/time.js';
import { call } from '../server/call.js';
import { useAction, useAnswer } from '../server/use-answer.js';
import { useSession } from '../session.js';
import { ChangePassword } from './sign-in.js';

/** The user's password and sessions. */
export function AccountPage() {
  const { session } = useSession();
  const { who } = session;
  const [isChangingPassword, setIsChangingPassword] = useState(false);
  const list = useAnswer('sessions', (signal) => call('listSessions', { signal }));
  const end = useAction(async (signal, id: string) => {
    await call('endSession', { id, signal });
    list.refresh();
  });
  return (
    <>
      <PageHead
        title="Account"
        description={<UntrustedText text={'email' in who && who.email ? `${who.name}, ${who.email}` : who.name} />}
      >
        {who.kind !== 'key' && !session.by_proxy && (
          <Button onClick={() => setIsChangingPassword(true)}>Change password…</Button>
        )}
      </PageHead>
      <ProblemNote problem={end.problem} />
      <Things
        name="Sessions"
        title="Where you are signed in"
        remote={list}
        rowsOf={({ sessions }) => sessions}
        empty={['There is no session.']}
        columns={columnsWith((id) => void end.start(id))}
        keyOf={({ id }) => id}
      />
      {isChangingPassword && <ChangePassword onClose={() => setIsChangingPassword(false)} />}
    </>
  );
}

function columnsWith(onEnd: (id: string) => void): Column<OwnSession>[] {
  return [
    {
      ...{ name: 'Browser', class: 'breaks', isBare: true },
      cell: ({ user_agent: agent, current }) => (
        <>
          <UntrustedText text={browserName(agent)} /> {current && <span class="badge valid">This browser</span>}
        </>
      ),
    },
    { name: 'From', class: 'mono tight', cell: ({ address }) => address },
    { name: 'Last used', class: 'tight', cell: (session) => <RelativeTime at={session.last_used_at} /> },
    { name: 'Signed in', class: 'tight', cell: (session) => <RelativeTime at={session.created_at} /> },
    {
      ...{ name: 'End', class: 'number', isHidden: true },
      cell: ({ id, user_agent: agent, current }) =>
        !current && (
          <Button kind="quiet" label={`End the session of ${browserName(agent)}`} onClick={() => onEnd(id)}>
            End
          </Button>
        ),
    },
  ];
}

/** A short name of the browser. The order matters: Edge, Opera and Chrome also claim to be Safari. */
function browserName(agent: string): string {
  const browser = [
    ['Edg/', 'Edge'],
    ['OPR/', 'Opera'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ].find(([mark = '']) => agent.includes(mark))?.[1];
  const system = ['Android', 'iPhone', 'iPad', 'Windows', 'Macintosh', 'Linux'].find((name) => agent.includes(name));
  if (browser === undefined) return agent.slice(0, 60) || 'unknown browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}

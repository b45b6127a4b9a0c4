import { useState } from 'preact/hooks';
import { limits } from '../../../wire/schema.js';
import { Field } from '../../parts/field.js';
import { ActionForm } from '../../parts/form.js';
import { retentionText } from '../../parts/job-words.js';
import { PageHead } from '../../parts/page-head.js';
import { call } from '../../server/call.js';
import { useAction } from '../../server/use-answer.js';
import { useSession } from '../../session.js';

/** How long lists are kept. */
export function RetentionSection() {
  const { session, setSession } = useSession();
  const { keep_days } = session.server;
  const [days, setDays] = useState(keep_days === null ? '' : String(Math.ceil(keep_days)));
  const change = useAction(async (signal) => {
    const body = { keep_days: days === '' ? null : Number(days) };
    const changed = await call('setRetention', { body, signal });
    setSession({ ...session, server: { ...session.server, ...changed } });
  });
  return (
    <>
      <PageHead title="Retention" description={retentionText(keep_days)} />
      <ActionForm class="panel stack" action={change} button="Save">
        <p>
          Lists of all users, with their rows and results, are deleted this many days after they end. Lists already
          older than that are deleted within an hour.
        </p>
        <Field
          label="Days"
          type="number"
          value={days}
          onInput={setDays}
          limits={limits.keepDays}
          hint="Leave empty to keep lists until a user deletes them."
        />
      </ActionForm>
    </>
  );
}

import { useEffect, useRef, useState } from 'preact/hooks';
import { UntrustedText } from '../../../report/components/domain-name.js';
import type { CheckAnswer } from '../../../wire/app.js';
import { limits } from '../../../wire/schema.js';
import { Button } from '../../parts/button.js';
import { Form } from '../../parts/form.js';
import { PageHead } from '../../parts/page-head.js';
import { ProblemNote } from '../../parts/remote-content.js';
import { navigate, type PageProps } from '../../router.js';
import { call } from '../../server/call.js';
import { useAction } from '../../server/use-answer.js';
import { useSession } from '../../session.js';
import { EvidencePanel, ResultCard } from './result-card.js';

const levelDescriptions = {
  syntax: 'Syntax only, as this server is set up. No email is ever sent.',
  dns: 'Syntax and DNS, as this server is set up. No email is ever sent.',
  smtp: 'Syntax, DNS, the mail server itself. No email is ever sent.',
};

/** Results since the page was opened, by user and address, so that "back" shows them without a charge. */
const answers = new Map<string, CheckAnswer>();
const maxAnswers = 50;

/** One address with its evidence. The address is kept in the history state, not in the URL. */
export function CheckPage({ state }: Pick<PageProps, 'state'>) {
  const { session } = useSession();
  const stateEmail = emailIn(state);
  const { who } = session;
  const userId = 'id' in who ? who.id : `${who.kind} ${who.email ?? ''}`;
  const keyOf = (address: string): string => `${userId} ${address}`;
  const [email, setEmail] = useState(stateEmail);
  const [checkedEmail, setCheckedEmail] = useState('');
  const [answer, setAnswer] = useState<CheckAnswer | null>(answers.get(keyOf(stateEmail)) ?? null);
  const field = useRef<HTMLInputElement>(null);
  const check = useAction(async (signal, address: string) => {
    setAnswer(null);
    setCheckedEmail(address);
    const newAnswer = await call('check', { body: { email: address }, signal });
    rememberAnswer(keyOf(address), newAnswer);
    setAnswer(newAnswer);
    navigate('/', { state: { email: address }, replace: emailIn(history.state) === address });
  });
  useEffect(() => {
    if (stateEmail === '') {
      if (state !== null) field.current?.focus();
      return;
    }
    setEmail(stateEmail);
    setAnswer(answers.get(keyOf(stateEmail)) ?? null);
  }, [stateEmail, state]);

  const startCheck = (address: string): void => {
    setEmail(address);
    if (address.trim() === '') field.current?.focus();
    else void check.start(address);
  };
  return (
    <>
      <PageHead title="Check an address" description={levelDescriptions[session.server.level]} />
      <Form class="check" onSubmit={() => startCheck(email)}>
        <label class="visually-hidden" for="check-field">
          Email address
        </label>
        <input
          id="check-field"
          ref={field}
          class="large"
          type="text"
          inputMode="email"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={limits.address.maxLength}
          placeholder="jane@example.com"
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <Button kind="main" type="submit" busy={check.busy}>
          Check
        </Button>
      </Form>
      <ProblemNote problem={check.problem} />
      {check.busy && <Asking email={checkedEmail} onStop={check.stop} />}
      {answer !== null && !check.busy && (
        <>
          <ResultCard answer={answer} onTry={startCheck} />
          <EvidencePanel answer={answer} />
        </>
      )}
      {answer === null && !check.busy && check.problem === null && <FirstSteps />}
    </>
  );
}

/** A slow mail server may take half a minute. */
function Asking({ email, onStop }: { email: string; onStop: () => void }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = window.setInterval(() => setSeconds((seconds) => seconds + 1), 1_000);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <section class="panel asking" aria-label="Check in progress">
      <p role="status">
        Checking <UntrustedText text={email} class="breaks" />…
      </p>
      <p class="muted">
        {seconds} s{seconds >= 5 && '. Some mail servers are slow.'}
      </p>
      <Button onClick={onStop}>Stop</Button>
    </section>
  );
}

function FirstSteps() {
  return (
    <section class="panel empty" aria-label="What to do first">
      <p>Type an address and press Enter.</p>
      <p class="muted">
        Press <kbd>/</kbd> on any page to return to this field. Upload whole lists under Lists.
      </p>
    </section>
  );
}

function emailIn(state: unknown): string {
  const email: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, 'email') : null;
  return typeof email === 'string' ? email : '';
}

function rememberAnswer(key: string, answer: CheckAnswer): void {
  answers.delete(key);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > maxAnswers && oldest !== undefined) answers.delete(oldest);
}

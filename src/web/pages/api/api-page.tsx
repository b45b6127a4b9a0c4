import { useState } from 'preact/hooks';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { CopyButton } from '../../parts/button.js';
import { Field, Select } from '../../parts/field.js';
import { PageHead } from '../../parts/page-head.js';
import { RemoteContent } from '../../parts/remote-content.js';
import { Link } from '../../router.js';
import { call, send } from '../../server/call.js';
import { useAnswer } from '../../server/use-answer.js';
import { useSession } from '../../session.js';
import { exampleOf, type Language, type Values } from './examples.js';
import { type ApiDocument, type ApiField, type Operation, operationsIn } from './operations.js';
import { TryIt } from './try-it.js';

const documentPath = '/openapi.json';

/** The interface for programs, from its description, with examples and a form to try each request. */
export function ApiPage() {
  const description = useAnswer('api', async (signal) => {
    const document = JSON.parse(await send('GET', documentPath, null, signal)) as ApiDocument;
    return operationsIn(document);
  });
  const [language, setLanguage] = useState<Language>('curl');
  const [key, setKey] = useState('');
  return (
    <>
      <PageHead
        title="API"
        description={
          <>
            For programs, at <code>{location.origin}</code>. Described by <a href={documentPath}>openapi.json</a>.
          </>
        }
      />
      <form class="panel stack" aria-label="Key" onSubmit={(event) => event.preventDefault()}>
        <OwnKey />
        <Field
          label="API key for the requests of this page"
          type="password"
          value={key}
          onInput={setKey}
          autoComplete="off"
          hint="Needed to try requests. It is not stored, and the examples read it from the variable MAILVET_API_KEY."
        />
        <div>
          <Select
            label="Examples in"
            value={language}
            choices={[
              ['curl', 'curl'],
              ['fetch', 'JavaScript (fetch)'],
              ['python', 'Python'],
            ]}
            onChange={(chosen) => setLanguage(chosen as Language)}
          />
        </div>
      </form>
      <RemoteContent remote={description}>
        {(operations) => (
          <>
            {operations.map((operation) => (
              <OperationPanel key={operation.id} operation={operation} language={language} apiKey={key} />
            ))}
          </>
        )}
      </RemoteContent>
    </>
  );
}

/** The key that the user could send. Pages know the beginning only. */
function OwnKey() {
  const { who } = useSession().session;
  return who.kind === 'key' ? (
    <KeyLine prefix={who.prefix} name={who.name} />
  ) : (
    <FirstKey isAdmin={who.kind === 'admin'} />
  );
}

/** Administrators see the keys of all members, but these are not theirs. */
function FirstKey({ isAdmin }: { isAdmin: boolean }) {
  const { answer } = useAnswer('keys', (signal) => call('listKeys', { signal }));
  const usable = answer?.keys.find(({ state, member }) => state === 'active' && (!isAdmin || member === null));
  if (usable !== undefined) return <KeyLine prefix={usable.prefix} name={usable.name} />;
  return (
    <p>
      {/* The line has its place before the answer is there. */}
      {answer === null ? 'Send your key in the header X-API-Key.' : 'You have no key yet. '}
      {answer !== null && <Link to="/keys">Create one</Link>}
    </p>
  );
}

function KeyLine({ prefix, name }: { prefix: string; name: string }) {
  return (
    <p>
      Send your key in the header X-API-Key: <code>{prefix}…</code> (<UntrustedText text={name} />)
    </p>
  );
}

interface OperationProps {
  operation: Operation;
  language: Language;
  apiKey: string;
}

function OperationPanel({ operation, language, apiKey }: OperationProps) {
  const { method, path, summary, fields, answer } = operation;
  const [values, setValues] = useState<Values>(() =>
    Object.fromEntries(fields.map(({ name, example }) => [name, example])),
  );
  const example = exampleOf(language, operation, location.origin, values);
  return (
    <details class="panel operation">
      <summary>
        <span class="mono strong">{method}</span> <span class="mono breaks">{path}</span>
        <span class="muted"> {summary}</span>
      </summary>
      <div class="stack">
        {fields
          .filter(({ place }) => place !== 'file')
          .map((field) => (
            <ValueField
              key={field.name}
              field={field}
              value={values[field.name] ?? ''}
              onInput={(value) => setValues({ ...values, [field.name]: value })}
            />
          ))}
        <div class="copy-line">
          <pre>{example}</pre>
          <CopyButton text={example}>Copy</CopyButton>
        </div>
        {answer.length > 0 && <p class="muted small">Response: {answer.join(', ')}</p>}
        <TryIt operation={operation} values={values} apiKey={apiKey} />
      </div>
    </details>
  );
}

function ValueField({
  field: { name, type, isRequired, description },
  value,
  onInput,
}: {
  field: ApiField;
  value: string;
  onInput: (value: string) => void;
}) {
  const hint = [`${type}${isRequired ? '' : ', optional'}`, description].filter((text) => text !== '').join('. ');
  return <Field label={name} value={value} onInput={onInput} hint={hint} required={isRequired} />;
}

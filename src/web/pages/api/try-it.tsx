import { useRef, useState } from 'preact/hooks';
import { safeText } from '../../../model/text/safe-text.js';
import { Button } from '../../parts/button.js';
import { Buttons } from '../../parts/field.js';
import { ProblemNote } from '../../parts/remote-content.js';
import { noAnswerProblem } from '../../server/call.js';
import { useAction } from '../../server/use-answer.js';
import { bodyOf, urlOf, type Values } from './examples.js';
import type { Operation } from './operations.js';

/** The part of a response that is shown. */
const maxShownChars = 20_000;

interface Answer {
  status: number;
  ms: number;
  text: string;
}

interface TryItProps {
  operation: Operation;
  values: Values;
  apiKey: string;
}

/** Sends the request with the given key, and shows the response. */
export function TryIt({ operation, values, apiKey }: TryItProps) {
  const file = useRef<HTMLInputElement>(null);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const fileField = operation.fields.find(({ place }) => place === 'file');
  const isComplete = operation.fields.every(
    ({ name, place, isRequired }) => place === 'file' || !isRequired || (values[name] ?? '') !== '',
  );
  const request = useAction(async (signal) => {
    setAnswer(null);
    const form = new FormData();
    const chosen = file.current?.files?.[0];
    if (fileField !== undefined && chosen !== undefined) form.append(fileField.name, chosen);
    const json = bodyOf(operation, values);
    const body = fileField === undefined ? json : form;
    const startedAt = performance.now();
    const response = await fetch(urlOf(operation, values), {
      method: operation.method,
      // Only the key counts, as for a program.
      credentials: 'omit',
      cache: 'no-store',
      headers: {
        ...(apiKey !== '' && { 'x-api-key': apiKey }),
        ...(json !== null && { 'content-type': 'application/json' }),
      },
      ...(body !== null && { body }),
      signal,
    }).catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw noAnswerProblem();
    });
    const text = await response.text();
    setAnswer({ status: response.status, ms: Math.round(performance.now() - startedAt), text });
  });
  const isKeyMissing = operation.needsKey && apiKey === '';
  return (
    <>
      {fileField !== undefined && (
        <label>
          {fileField.name} <input type="file" ref={file} />
        </label>
      )}
      <Buttons>
        <Button kind="main" busy={request.busy} disabled={isKeyMissing || !isComplete} onClick={() => request.start()}>
          Send
        </Button>
        {isKeyMissing && <span class="muted">Enter a key above to try it.</span>}
      </Buttons>
      <ProblemNote problem={request.problem} />
      <div role="status">
        {answer !== null && (
          <>
            <p>
              HTTP {answer.status} in {answer.ms} ms
            </p>
            <pre>{shownText(answer.text)}</pre>
          </>
        )}
      </div>
    </>
  );
}

/** JSON is indented; text of lists is shown without control and direction characters. */
function shownText(text: string): string {
  const cut = text.slice(0, maxShownChars);
  const readable = cut.length < text.length ? `${cut}\n… (${text.length} characters)` : indented(cut);
  return readable.split('\n').map(safeText).join('\n');
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

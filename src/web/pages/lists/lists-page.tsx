import { useRef, useState } from 'preact/hooks';
import { formatAmount } from '../../../model/amount.js';
import type { UploadPreview } from '../../../model/job.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { listFormats } from '../../../wire/api.js';
import { Button, Buttons } from '../../parts/button.js';
import { Form } from '../../parts/form.js';
import { retentionText } from '../../parts/job-words.js';
import { PageHead } from '../../parts/page-head.js';
import { ProblemNote } from '../../parts/remote-content.js';
import type { PageProps } from '../../router.js';
import { Problem } from '../../server/call.js';
import { uploadFile } from '../../server/upload.js';
import { useAction } from '../../server/use-answer.js';
import { useSession } from '../../session.js';
import { AllLists } from './all-lists.js';
import { PreviewPanel } from './preview-panel.js';

/** Uploads a file: choose, send, preview, confirm. Below it all lists. */
export function ListsPage({ query }: Pick<PageProps, 'query'>) {
  const { session } = useSession();
  const { max_upload_bytes: maxBytes, max_rows: maxRows, keep_days: keepDays } = session.server;
  const [file, setFile] = useState<File | null>(null);
  const [sentShare, setSentShare] = useState(0);
  const [preview, setPreview] = useState<UploadPreview | null>(null);
  const send = useAction(async (signal, chosen: File) => {
    setFile(chosen);
    setSentShare(0);
    setPreview(null);
    if (chosen.size > maxBytes) {
      throw new Problem(
        413,
        `${chosen.name} is larger than ${sizeText(maxBytes)}, the limit of this server.`,
        'Split it into smaller files.',
      );
    }
    setPreview(await uploadFile(chosen, setSentShare, signal));
  });
  return (
    <>
      <PageHead
        title="Lists"
        description={`${listFormats}; also compressed with gzip. All columns of a table are kept. ${retentionText(keepDays)}`}
      />
      {preview !== null && file !== null ? (
        <PreviewPanel
          key={preview.upload_id}
          preview={preview}
          onCancel={() => {
            setPreview(null);
            setFile(null);
          }}
        />
      ) : send.busy && file !== null ? (
        <Sending file={file} share={sentShare} onStop={send.stop} />
      ) : (
        <>
          <DropZone maxBytes={maxBytes} maxRows={maxRows} onFile={(chosen) => void send.start(chosen)} />
          <ProblemNote problem={send.problem} />
          {send.problem?.isTemporary && file !== null && (
            <Buttons>
              <Button onClick={() => void send.start(file)}>Upload again</Button>
            </Buttons>
          )}
        </>
      )}
      <AllLists query={query} />
    </>
  );
}

const fileFieldId = 'list-file';

function Sending({ file, share, onStop }: { file: File; share: number; onStop: () => void }) {
  return (
    <section class="panel drop" aria-label="Upload">
      <p role="status">
        {share < 1 ? 'Sending' : 'Reading'} <UntrustedText text={file.name} class="breaks" /> ({sizeText(file.size)})…
      </p>
      <progress max={1} value={share} aria-label="Sent" />
      <Button onClick={onStop}>Stop</Button>
    </section>
  );
}

interface DropZoneProps {
  maxBytes: number;
  maxRows: number;
  onFile: (file: File) => void;
}

/** A target for dropped files, with a file picker and a field for pasted addresses. */
function DropZone({ maxBytes, maxRows, onFile }: DropZoneProps) {
  const [isDragOver, setIsDragOver] = useState(false);
  const [isTooMany, setIsTooMany] = useState(false);
  const selectFiles = (files: FileList | null | undefined): void => {
    const [file, ...others] = files ?? [];
    setIsTooMany(others.length > 0);
    if (file !== undefined && others.length === 0) onFile(file);
  };
  return (
    <section
      class={`panel drop${isDragOver ? ' over' : ''}`}
      aria-label="Upload"
      onDragOver={(event) => {
        event.preventDefault();
        setIsDragOver(true);
      }}
      onDragLeave={() => setIsDragOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setIsDragOver(false);
        selectFiles(event.dataTransfer?.files);
      }}
    >
      <p>
        <label for={fileFieldId} class="button main">
          Choose a list
        </label>
        <input
          id={fileFieldId}
          class="file"
          type="file"
          accept=".csv,.tsv,.tab,.txt,.gz,.xlsx,.json,.ndjson,.vcf,.ldif,.mbox,.eml,text/csv,text/plain"
          onChange={(event) => {
            selectFiles(event.currentTarget.files);
            // Choosing the same file again must fire a change event.
            event.currentTarget.value = '';
          }}
        />
      </p>
      <p class="muted">
        or drop it here · up to {sizeText(maxBytes)} and {formatAmount(maxRows, 'row')}
      </p>
      {isTooMany && <p role="alert">Nothing was uploaded: drop one list at a time.</p>}
      <PasteField onFile={onFile} />
    </section>
  );
}

/** Pasted addresses are sent as a separate file. */
function PasteField({ onFile }: { onFile: (file: File) => void }) {
  // Not a controlled field: a paste may have megabytes.
  const field = useRef<HTMLTextAreaElement>(null);
  return (
    <details class="paste">
      <summary>Paste addresses instead</summary>
      <Form onSubmit={() => onFile(new File([field.current?.value ?? ''], 'pasted.txt', { type: 'text/plain' }))}>
        <label for="pasted">One address per line, or a table with a header</label>
        <textarea id="pasted" ref={field} rows={8} spellcheck={false} required />
        <Buttons>
          <Button type="submit">Use these</Button>
        </Buttons>
      </Form>
    </details>
  );
}

/** A size for people: `812 bytes`, `1.4 MB`, in the units of `serve.max_file_size`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [unit, size] = bytes < 1024 ** 2 ? ['kB', 1024] : bytes < 1024 ** 3 ? ['MB', 1024 ** 2] : ['GB', 1024 ** 3];
  const value = bytes / size;
  return `${value < 10 && value % 1 !== 0 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

import { useState } from 'preact/hooks';
import type { UploadPreview } from '../../../model/job.js';
import { Foreign } from '../../../report/components/foreign.js';
import { Button } from '../../parts/button.js';
import { PageHead } from '../../parts/page-head.js';
import { ProblemNote } from '../../parts/problem-note.js';
import { Waiting } from '../../parts/waiting.js';
import { Link } from '../../router.js';
import { call } from '../../server/call.js';
import { Problem } from '../../server/problem.js';
import { uploadFile } from '../../server/upload.js';
import { useAction } from '../../server/use-action.js';
import { useAnswer } from '../../server/use-answer.js';
import { useSession } from '../../session.js';
import { JobTable } from '../jobs-page.js';
import { DropZone } from './drop-zone.js';
import { PreviewPanel } from './preview-panel.js';
import { sizeText } from './size-text.js';

/** Uploads a file: choose, send, preview, confirm. */
export function ListsPage() {
  const { session } = useSession();
  const { max_upload_bytes: maxBytes } = session.server;
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState(0);
  const [preview, setPreview] = useState<UploadPreview | null>(null);
  const send = useAction(async (signal, chosen: File) => {
    setFile(chosen);
    setSent(0);
    setPreview(null);
    if (chosen.size > maxBytes) {
      throw new Problem(
        413,
        `${chosen.name} is larger than ${sizeText(maxBytes)}, the most that this server takes.`,
        'Split it into smaller files.',
      );
    }
    setPreview(await uploadFile(chosen, setSent, signal));
  });
  return (
    <>
      <PageHead title="Lists" about="CSV, or one address per line; also packed with gzip. Every column is kept." />
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
        <Sending file={file} share={sent} onStop={send.stop} />
      ) : (
        <>
          <DropZone maxBytes={maxBytes} onFile={(chosen) => void send.start(chosen)} />
          <ProblemNote problem={send.problem} />
          {send.problem !== null && file !== null && (
            <p class="buttons">
              <Button onClick={() => void send.start(file)}>Send it again</Button>
            </p>
          )}
        </>
      )}
      <RecentLists />
    </>
  );
}

function Sending({ file, share, onStop }: { file: File; share: number; onStop: () => void }) {
  return (
    <section class="panel drop" aria-label="Upload">
      <p role="status">
        {share < 1 ? 'Sending' : 'Reading'} <Foreign text={file.name} class="breaks" /> ({sizeText(file.size)})…
      </p>
      <progress max={1} value={share} aria-label="Sent" />
      <Button onClick={onStop}>Stop</Button>
    </section>
  );
}

function RecentLists() {
  const recent = useAnswer(
    'recent',
    (signal) => call('listJobs', { query: { limit: 5 }, signal }),
    () => 5_000,
  );
  return (
    <Waiting of={recent}>
      {({ jobs, total }) =>
        jobs.length === 0 ? null : (
          <section class="panel" aria-label="The newest lists">
            <div class="apart">
              <h2>The newest lists</h2>
              {total > jobs.length && <Link to="/jobs">All jobs</Link>}
            </div>
            <JobTable jobs={jobs} />
          </section>
        )
      }
    </Waiting>
  );
}

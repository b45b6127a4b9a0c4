import type { Job, UploadPreview } from '../../model/job.js';
import { decodeJob, decodePreview } from '../../wire/job-codec.js';
import { apiPrefix, routes, uploadField } from '../../wire/routes.js';
import { encodeConfirmRequest } from '../../wire/validation-codec.js';
import { isServerReachable, noAnswerProblem, problemIn, send, updateSignals } from './call.js';

/** Uploads a file; `onProgress` gets the fraction sent, 0 to 1. */
export function uploadFile(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadPreview> {
  const path = apiPrefix + routes.previewUpload.path;
  const form = new FormData();
  form.append(uploadField, file, file.name);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // fetch does not report upload progress.
    const request = new XMLHttpRequest();
    request.open(routes.previewUpload.method, path);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    request.onerror = () => {
      isServerReachable.set(false);
      reject(noAnswerProblem());
    };
    request.onabort = () => reject(signal.reason);
    request.onload = () => {
      updateSignals(request.status, path);
      if (request.status < 200 || request.status > 299) {
        reject(problemIn(request.status, request.responseText, request.getResponseHeader('retry-after')));
        return;
      }
      try {
        resolve(decodePreview(JSON.parse(request.responseText), file.name));
      } catch (thrown) {
        reject(thrown);
      }
    };
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

/** Starts the job; idempotent. The number of the column counts from 1. */
export async function confirmUpload(uploadId: string, column: string, columnNumber: number): Promise<Job> {
  const { method, path } = routes.confirmUpload;
  const body = encodeConfirmRequest(uploadId, column, columnNumber);
  return decodeJob(JSON.parse(await send(method, apiPrefix + path, body)));
}

/** Cancels a job; finished rows are kept, and a job that has just ended stays as it is. */
export async function cancelJob(id: string): Promise<void> {
  const { method, path } = routes.cancelJob;
  await send(method, `${apiPrefix}${path.replace('{job_id}', encodeURIComponent(id))}?only=cancel`, null);
}

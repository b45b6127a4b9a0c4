import type { UploadPreview } from '../../model/job.js';
import { uploadField } from '../../wire/api.js';
import { routes } from '../../wire/routes.js';
import { isServerReachable, noAnswerProblem, problemIn, updateSignals } from './call.js';

/** Uploads a file; `onProgress` gets the fraction sent, 0 to 1. */
export function uploadFile(
  file: File,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<UploadPreview> {
  const { method, path } = routes.previewUpload;
  const form = new FormData();
  form.append(uploadField, file, file.name);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // fetch does not report upload progress.
    const request = new XMLHttpRequest();
    request.open(method, path);
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
        resolve(JSON.parse(request.responseText) as UploadPreview);
      } catch (thrown) {
        reject(thrown);
      }
    };
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(form);
  });
}

/** An error response, or none at all. */
export class Problem extends Error {
  /** 0 without a response. */
  readonly status: number;
  readonly hint: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, hint: string | null = null, retryAfterSeconds: number | null = null) {
    super(message);
    this.status = status;
    this.hint = hint;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** A later retry may succeed. */
  get passes(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

export function noAnswer(): Problem {
  return new Problem(0, 'The server does not answer.', 'Check that mailvet serve runs, and your network.');
}

/** Decodes an error response. */
export function problemIn(status: number, text: string, retryAfter: string | null): Problem {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  const { message, hint } = errorIn(text);
  return new Problem(
    status,
    message ?? `The server answered with an error (HTTP ${status}).`,
    hint,
    Number.isFinite(seconds) ? seconds : null,
  );
}

function errorIn(text: string): { message: string | null; hint: string | null } {
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown; hint?: unknown } } | null;
    const { message, hint } = body?.error ?? {};
    return {
      message: typeof message === 'string' ? message : null,
      hint: typeof hint === 'string' ? hint : null,
    };
  } catch {
    // A proxy may answer with a page of its own.
    return { message: null, hint: null };
  }
}

export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  return new Problem(-1, `Something went wrong in this page: ${what}`, 'Load the page again.');
}

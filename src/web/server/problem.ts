/** An answer that is none: what the server said about it, or that it said nothing. */
export class Problem extends Error {
  /** 0 where no answer came. */
  readonly status: number;
  readonly hint: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, message: string, hint: string | null = null, retryAfterSeconds: number | null = null) {
    super(message);
    this.status = status;
    this.hint = hint;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** Asking again later may help, without anybody doing anything. */
  get passes(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

/** No answer came at all. */
export function noAnswer(): Problem {
  return new Problem(0, 'The server does not answer.', 'Check that mailvet serve runs, and your network.');
}

/** What an answer with an error status says. */
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
    // A proxy in between may answer with a page of its own.
    return { message: null, hint: null };
  }
}

/** Whatever was thrown, as something that can be shown. */
export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown;
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  return new Problem(-1, `Something went wrong in this page: ${what}`, 'Load the page again.');
}

/** Why no response came. `sent`: part of the request was sent, so it may have been executed. */
export class NoAnswer extends Error {
  constructor(
    readonly kind: 'connect' | 'timeout' | 'dropped' | 'too_large' | 'garbled' | 'untrusted' | 'aborted',
    readonly sent: boolean,
    message: string,
    readonly systemCode: string,
  ) {
    super(message);
    this.name = 'NoAnswer';
  }
}

export function tooLarge(sent: boolean): NoAnswer {
  return new NoAnswer('too_large', sent, 'The answer is far larger than any answer should be.', '');
}

/** Converts foreign errors, which can carry sockets and requests: only their kind and code are kept. */
export function noAnswer(error: unknown, sent: boolean): NoAnswer {
  if (error instanceof NoAnswer) return error;
  const code = codeOf(error);
  const name = error instanceof Error ? error.name : '';
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new NoAnswer('timeout', sent, 'No answer came in time.', code);
  }
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW' || name === 'HTTPParserError') {
    return new NoAnswer('garbled', sent, 'What came back is not HTTP.', code);
  }
  if (!sent && isUntrusted(code)) {
    return new NoAnswer('untrusted', false, `Its certificate is not to be trusted (${code}).`, code);
  }
  if (!sent) return new NoAnswer('connect', false, reasons[code] ?? 'No connection could be made.', code);
  return new NoAnswer('dropped', sent, 'The connection was lost before the answer was complete.', code);
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'Nothing listens there: the connection was refused.',
  ENOTFOUND: 'The name of its host does not exist.',
  EAI_AGAIN: 'The name of its host could not be looked up.',
  EHOSTUNREACH: 'Its host cannot be reached from here.',
  ENETUNREACH: 'There is no network.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection was not made in time.',
  EPROTO: 'It does not speak TLS there: is it plain http?',
  ETIMEDOUT: 'The connection was not made in time.',
  UND_ERR_ABORTED: 'The proxy did not let the connection through.',
};

function isUntrusted(code: string): boolean {
  return /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)_|ERR_SSL_)/.test(code);
}

/** The system error code of an error or its cause, else empty. */
export function codeOf(error: unknown): string {
  for (let inner: unknown = error, depth = 0; inner instanceof Error && depth < 4; inner = inner.cause, depth++) {
    const code: unknown = Reflect.get(inner instanceof AggregateError ? Object(inner.errors[0]) : inner, 'code');
    if (typeof code === 'string' && code !== 'UND_ERR_SOCKET') return code;
  }
  return '';
}

// One HTTP POST of a notification: the status of the answer, or that there was none. Follows no redirect and reads no body.

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Milliseconds of machine time within which an answer must begin. */
  readonly within: number;
  readonly stopped: AbortSignal;
}

/** Null: no answer within the time, or nobody there. */
export async function post({ url, headers, body, within, stopped }: Posting): Promise<number | null> {
  try {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(within)]);
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      redirect: 'manual',
      signal,
    });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}

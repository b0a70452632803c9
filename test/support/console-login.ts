// Logs in to the console as a browser does, without one.

/** Returns the header `cookie` of a new session. */
export async function logIn(origin: string, token: string): Promise<string> {
  const page = await fetch(`${origin}/login`);
  const given = cookiesOf(page);
  const form = /name="form" value="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  const answer = await fetch(`${origin}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: given.join('; '), origin },
    body: new URLSearchParams({ form, token }),
  });
  return [...given, ...cookiesOf(answer)].join('; ');
}

function cookiesOf({ headers }: Response): readonly string[] {
  return headers.getSetCookie().map((one) => one.split(';')[0]!);
}

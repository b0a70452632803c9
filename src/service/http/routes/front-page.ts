// GET /: what a person finds who opens the server's address in a browser. Says nothing of anybody's books.

import type { Server } from '../api.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>pointage</title></head>
<body>
<h1>pointage</h1>
<p>Monthly reports, findings and audits over HTTP, for programs that have a token.</p>
<ul>
<li><a href="docs">What can be asked</a>, to read and to try</li>
<li><a href="openapi.json">The same in OpenAPI</a></li>
<li><a href="health">Whether the process is alive</a>, and <a href="ready">whether it can work</a></li>
</ul>
</body>
</html>
`;

export function addFrontPage(server: Server): void {
  server.route({
    method: 'GET',
    url: '/',
    schema: { hide: true },
    handler: async (_, reply) => reply.type('text/html; charset=utf-8').send(PAGE),
  });
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/**
 * Headers of which a second value is refused: a proxy may have checked the one and Node takes the other. The parser refuses a second
 * `Content-Length` itself.
 */
const single: ReadonlySet<string> = new Set(['host', 'authorization'])

/** Whether a request has a header twice that must occur once. */
export function repeatsHeader({ rawHeaders }: IncomingMessage): boolean {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map(name => name.toLowerCase())
  return names.some((name, index) => single.has(name) && names.indexOf(name) < index)
}

/** Passes on a request, or answers 400 if it repeats a header that must occur once (RFC 9112, section 3.2). */
export function checkHeaders(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
  if (!repeatsHeader(request)) return handle(request, response)
  const body = { code: 'BadRequest', message: 'Host and Authorization must occur once', errors: [] }
  response.writeHead(400, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    Connection: 'close',
  })
  response.end(JSON.stringify(body))
}

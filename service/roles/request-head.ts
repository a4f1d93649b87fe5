import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { writeRefusal } from '../../api/live/transport/server.ts'

/**
 * Headers that must not be repeated: a proxy may check one value while Node uses the other. The parser itself rejects a
 * second `Content-Length`.
 */
const uniqueHeaders = ['host', 'authorization'] as const

/**
 * Returns the problem of the headers that name the server and the caller (RFC 9112, section 3.2); null: they are valid.
 */
export function findHeadProblem({ rawHeaders, headers: { host }, httpVersion }: IncomingMessage): string | null {
  if (repeatsHeader(rawHeaders)) return 'Host and Authorization must not be repeated'
  if (host === undefined) return httpVersion === '1.1' ? 'Host is missing' : null
  return /^[\w.~%!$&'()*+,;=:[\]-]*$/.test(host) ? null : 'Host is invalid'
}

function repeatsHeader(rawHeaders: readonly string[]): boolean {
  return uniqueHeaders.some(name => {
    let count = 0
    // Compares lengths first, because this runs for each request, and most names differ in length.
    for (let i = 0; i < rawHeaders.length; i += 2)
      if (rawHeaders[i]?.length === name.length && rawHeaders[i]?.toLowerCase() === name) count += 1
    return count > 1
  })
}

/** Passes a request to the handler, or responds 400 if its headers are invalid. */
export function checkHead(request: IncomingMessage, response: ServerResponse, handle: RequestListener): void {
  const message = findHeadProblem(request)
  if (message === null) handle(request, response)
  else sendError(response, 400, { code: 'BadRequest', message })
}

/** Responds 417 to a request whose `Expect` header is not `100-continue`. */
export function rejectExpectation(_request: IncomingMessage, response: ServerResponse): void {
  sendError(response, 417, { code: 'ExpectationFailed', message: 'Expect must be 100-continue' })
}

interface HeadError {
  readonly code: string
  readonly message: string
}

function sendError(response: ServerResponse, status: 400 | 417, error: HeadError): void {
  const body = JSON.stringify({ ...error, errors: [] })
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    Connection: 'close',
  })
  response.end(body)
}

const parseErrors: ReadonlyMap<string, readonly [status: string, code: string, message: string]> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    ['431 Request Header Fields Too Large', 'RequestHeaderFieldsTooLarge', 'Headers are too long'],
  ],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', ['413 Payload Too Large', 'PayloadTooLarge', 'Chunk extensions are too long']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'RequestTimeout', 'The request was not received in time']],
])

/** Responds to a request that could not be parsed, and closes its connection. */
export function rejectUnparsed({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const [status, name, message] = parseErrors.get(code ?? '') ?? ['400 Bad Request', 'BadRequest', 'Invalid HTTP']
  writeRefusal(socket, { status, code: name, message })
}

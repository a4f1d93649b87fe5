import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Logger } from 'pino'
import { ApiError, notFound } from '../../schema/errors.ts'

/** Handles the requests of one name, whose body is JSON; an `ApiError` becomes the error response. */
export type ControlHandler = (payload: unknown) => Promise<unknown>
export type ControlHandlers = Readonly<Record<string, ControlHandler>>

/** The server of the control socket. */
export interface ControlServer {
  /** Stops accepting requests; resolves when the requests in progress are complete. */
  close(): Promise<void>
}

/**
 * Serves `POST /<name>` with a JSON body on a Unix socket that only the service's own user can open. Removes a socket
 * that a killed service left, because the caller owns the data folder.
 */
export async function serveControl(path: string, handlers: ControlHandlers, logger: Logger): Promise<ControlServer> {
  await rm(path, { force: true })
  const server = createServer((request, response) => {
    handle(handlers, request).then(
      result => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(result ?? null)),
      (error: unknown) => {
        const apiError = error instanceof ApiError ? error : new ApiError(500, 'InternalError', 'Internal Server Error')
        if (apiError.status === 500) logger.error({ err: error, path: request.url }, 'Control command failed')
        const { status, code, message, errors } = apiError
        response
          .writeHead(status, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ code, message, errors }))
      },
    )
  })
  await listenPrivately(server, path)
  return { close: () => close(server) }
}

async function handle(handlers: ControlHandlers, request: IncomingMessage): Promise<unknown> {
  const handler = new Map(Object.entries(handlers)).get(request.url?.slice(1) ?? '')
  if (request.method !== 'POST' || !handler) throw notFound()
  const payload: unknown = JSON.parse(await text(request))
  return handler(payload)
}

/**
 * The permissions are restricted before `listen`, which creates the socket synchronously, so that no other user can
 * open it.
 */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const umask = process.umask(0o177)
  try {
    server.listen(path)
  } finally {
    process.umask(umask)
  }
  await once(server, 'listening')
}

async function close(server: Server): Promise<void> {
  await new Promise<void>(resolve => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}

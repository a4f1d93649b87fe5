import express, { type Request, type Response, type Router } from 'express'
import { notFound } from '../../schema/errors.ts'
import { type App, type AppFile, assetsPath, pageBase } from './app-files.ts'

/**
 * Serves the web application: its page at `/` and at every address under `/app/`, and the built files that the page loads. The
 * addresses of the application begin with `/app/`, so that none of them is ever one of a route.
 */
export function serveApp({ files, page, icon }: App): Router {
  const router = express.Router({ strict: true })
  router.get(`${assetsPath}:name`, (request, response) => {
    const file = files.get(request.params.name)
    if (!file) throw notFound()
    sendFile(file, request, response)
  })
  router.get('/icon.svg', (_request, response) => {
    response.set('Cache-Control', 'no-cache').type(icon.type).send(icon.bytes)
  })
  router.get(['/', '/app', '/app/{*path}'], (request, response) => {
    response
      .set('Cache-Control', 'no-cache')
      .type('html')
      .send(page.replaceAll(pageBase, wayToRoot(request.path)))
  })
  return router
}

/** The name holds a hash of the content, so a browser never needs to ask again. */
function sendFile({ type, bytes, brotli, gzip }: AppFile, request: Request, response: Response): void {
  response.set('Cache-Control', 'public, max-age=31536000, immutable').set('Content-Type', type)
  response.vary('Accept-Encoding')
  const encoding = request.headers['accept-encoding'] === undefined ? false : request.acceptsEncodings('br', 'gzip')
  const compressed = encoding === 'br' ? brotli : encoding === 'gzip' ? gzip : null
  if (compressed && encoding !== false) response.set('Content-Encoding', encoding)
  response.send(compressed ?? bytes)
}

/** `/app/keys` → `../` */
function wayToRoot(path: string): string {
  return '../'.repeat(path.split('/').length - 2)
}

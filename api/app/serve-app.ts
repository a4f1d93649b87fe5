import express, { type Router } from 'express'
import { notFound } from '../../schema/errors.ts'
import { StaticContent } from '../static/static-content.ts'
import { type App, type AppFile, assetsPath, pageBase } from './app-files.ts'

/**
 * Serves the web application: its page at `/` and below `/app/`, and the built files that the page loads. The prefix
 * `/app/` keeps its URLs separate from those of routes. `onPage` is called for each page.
 */
export function serveApp({ files, page, icon }: App, onPage: () => void): Router {
  const router = express.Router({ strict: true })
  const contents = new Map([...files].map(([name, file]) => [name, contentOf(file)]))
  router.get(`${assetsPath}:name`, async (request, response) => {
    const content = contents.get(request.params.name)
    if (!content) throw notFound()
    // The name has a hash of the content, so a browser never needs to request it again.
    await content.send(response, 'public, max-age=31536000, immutable')
  })
  const iconContent = contentOf(icon)
  router.get('/icon.svg', (_request, response) => iconContent.send(response))
  router.get(['/', '/app', '/app/{*path}'], (request, response) => {
    onPage()
    response
      .set('Cache-Control', 'no-cache')
      .type('html')
      .send(page.replaceAll(pageBase, wayToRoot(request.path)))
  })
  return router
}

function contentOf({ type, bytes, brotli, gzip }: AppFile): StaticContent {
  return new StaticContent(type, bytes, [
    ...(brotli ? [['br', brotli] as const] : []),
    ...(gzip ? [['gzip', gzip] as const] : []),
  ])
}

/** `/app/keys` → `../` */
function wayToRoot(path: string): string {
  return '../'.repeat(path.split('/').length - 2)
}

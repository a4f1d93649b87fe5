import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { dirname, join } from 'node:path'
import express, { type Router } from 'express'

const ownFolder = fileURLToPath(new URL('.', import.meta.url))
const swaggerFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** Files of `/docs`, by the name they are asked for. */
const files: Readonly<Record<string, string>> = {
  'docs.js': join(ownFolder, 'docs.js'),
  'swagger-ui-bundle.js': join(swaggerFolder, 'swagger-ui-bundle.js'),
  'swagger-ui.css': join(swaggerFolder, 'swagger-ui.css'),
}

/** The reference's icons are data in its style sheet, and its components set styles; nothing is loaded from elsewhere. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `GET /docs`: the interface's reference, read from `/openapi.json` and served from local files alone. */
export function docsPage(): Router {
  const router = express.Router()
  router.get('/docs', (_request, response) => {
    response.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-cache' })
    response.sendFile(join(ownFolder, 'docs.html'))
  })
  for (const [name, path] of Object.entries(files))
    router.get(`/docs/${name}`, (_request, response) => {
      response.set('Cache-Control', 'no-cache')
      response.sendFile(path)
    })
  return router
}

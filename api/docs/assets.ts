import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { dirname, join } from 'node:path'
import express, { type Router } from 'express'

const swaggerFolder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** What the page at `/docs` loads, by the name it is asked for. */
const assets: Readonly<Record<string, string>> = {
  'docs.js': fileURLToPath(new URL('docs.js', import.meta.url)),
  'swagger-ui-bundle.js': join(swaggerFolder, 'swagger-ui-bundle.js'),
  'swagger-ui.css': join(swaggerFolder, 'swagger-ui.css'),
}

/** Serves the files of the page at `/docs`, from this machine's disk alone. */
export function docsAssets(): Router {
  const router = express.Router()
  for (const [name, path] of Object.entries(assets))
    router.get(`/docs/${name}`, (_request, response) => {
      response.set('Cache-Control', 'no-cache')
      response.sendFile(path)
    })
  return router
}

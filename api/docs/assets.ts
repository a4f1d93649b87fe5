import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { dirname, join } from 'node:path'
import express, { type Router } from 'express'

const folderOf = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
const swaggerFolder = folderOf('swagger-ui-dist')

/** Files that the pages under `/docs` load, by the name in their address. */
const assets: Readonly<Record<string, string>> = {
  'theme.js': fileURLToPath(new URL('theme.js', import.meta.url)),
  'pages.css': fileURLToPath(new URL('pages.css', import.meta.url)),
  'guides.css': fileURLToPath(new URL('guides.css', import.meta.url)),
  'docs.js': fileURLToPath(new URL('docs.js', import.meta.url)),
  'graphiql.css': fileURLToPath(new URL('graphiql.css', import.meta.url)),
  'graphiql-page.js': fileURLToPath(new URL('graphiql-page.js', import.meta.url)),
  'graphiql.min.js': join(folderOf('graphiql'), 'graphiql.min.js'),
  'graphiql.min.css': join(folderOf('graphiql'), 'graphiql.min.css'),
  'react.production.min.js': join(folderOf('react'), 'umd/react.production.min.js'),
  'react-dom.production.min.js': join(folderOf('react-dom'), 'umd/react-dom.production.min.js'),
  'swagger-ui-bundle.js': join(swaggerFolder, 'swagger-ui-bundle.js'),
  'swagger-ui.css': join(swaggerFolder, 'swagger-ui.css'),
}

/** Folders whose files the guides link to, by the name in their address. */
const folders: Readonly<Record<string, string>> = {
  samples: fileURLToPath(new URL('../import/samples', import.meta.url)),
  'guides/pictures': fileURLToPath(new URL('../../docs/pictures', import.meta.url)),
  // The README stands a folder higher than the other guides.
  'guides/docs/pictures': fileURLToPath(new URL('../../docs/pictures', import.meta.url)),
  mappings: fileURLToPath(new URL('../import/mappings', import.meta.url)),
}

/** Serves the files that belong to the pages under `/docs`, from this machine's disk alone. */
export function docsAssets(): Router {
  const router = express.Router()
  for (const [name, path] of Object.entries(assets))
    router.get(`/docs/${name}`, (_request, response) => {
      response.set('Cache-Control', 'no-cache')
      response.sendFile(path)
    })
  for (const [name, path] of Object.entries(folders))
    router.use(`/docs/${name}`, express.static(path, { index: false, redirect: false }))
  return router
}

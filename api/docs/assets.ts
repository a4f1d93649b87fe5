import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import express, { type Router } from 'express'
import { loadOnce } from '../static/load-once.ts'
import { StaticContent } from '../static/static-content.ts'

const folderOf = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
const swaggerFolder = folderOf('swagger-ui-dist')

/** Files that the pages under `/docs` load, by the name in their URL. */
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

/** Folders whose files the guides link to, by the name in their URL. */
const folders: Readonly<Record<string, string>> = {
  samples: fileURLToPath(new URL('../import/samples', import.meta.url)),
  'guides/pictures': fileURLToPath(new URL('../../docs/pictures', import.meta.url)),
  // The README is one folder above the other guides.
  'guides/docs/pictures': fileURLToPath(new URL('../../docs/pictures', import.meta.url)),
  mappings: fileURLToPath(new URL('../import/mappings', import.meta.url)),
}

/** All these files, by their path below `/docs/`. */
const contents = new Map([
  ...Object.entries(assets).map(([name, path]) => contentOf(name, path)),
  ...Object.entries(folders).flatMap(([name, folder]) =>
    readdirSync(folder).map(file => contentOf(`${name}/${file}`, join(folder, file))),
  ),
])

function contentOf(name: string, path: string) {
  return [name, loadOnce(async () => new StaticContent(extname(path), await readFile(path)))] as const
}

/** Serves the files of the pages under `/docs`; each is read from disk once. */
export function docsAssets(): Router {
  const router = express.Router()
  router.get('/docs/{*name}', (request, response, next) => {
    const content = contents.get([request.params.name].flat().join('/'))
    if (content)
      content()
        .then(each => each.send(response))
        .catch(next)
    else next()
  })
  return router
}

/** Builds the web application, for images and folders that the service may not write to; else its first start does. */
import { loadApp } from '../app/load-app.ts'

loadApp(error => {
  throw error
}).then(
  ({ files }) => process.stdout.write(`The web application is built: ${files.size} files.\n`),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  },
)

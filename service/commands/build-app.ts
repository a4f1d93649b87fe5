/** Builds the web application in advance, for images and folders that the service cannot write to. */
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

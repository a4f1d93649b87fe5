/** Builds the web application, and the service by its own start, for images and folders that the service cannot write to. */
import { loadApp } from '../app/load-app.ts'

loadApp(error => {
  throw error
}).then(
  ({ files }) => process.stdout.write(`The service and the web application (${files.size} files) are built.\n`),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  },
)

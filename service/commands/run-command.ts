import { ApiError } from '../../schema/errors.ts'
import { keepFilesPrivate } from '../data-folder.ts'
import { LogUnavailable } from '../../log/log.ts'

/** Runs a command to its end. What goes wrong is told on stderr, and the process exits with 1. */
export function runCommand(main: () => Promise<void>): void {
  keepFilesPrivate()
  main().catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error)
    console.error(error instanceof ApiError ? text : `${text}${hintOf(error)}`)
    process.exitCode = 1
  })
}

function hintOf(error: unknown): string {
  return error instanceof LogUnavailable
    ? '. An embedded log belongs to one process: is another one at work, or the service still running?'
    : ''
}

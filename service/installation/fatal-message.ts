import { InstallationError } from './check-installation.ts'

/** Returns the line of the log for an error that ends the process. */
export function fatalMessage(cause: unknown): string {
  if (cause instanceof InstallationError) return 'Stopped: this version cannot continue the log'
  return 'Stopped ingest to avoid data loss'
}

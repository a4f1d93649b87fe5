import { join, relative } from 'node:path'

/**
 * Path of the socket for requests to a service with an embedded log. Returns the relative or absolute path, whichever
 * is shorter, because socket paths are limited to little more than 100 bytes.
 */
export function controlSocket(dataDir: string): string {
  const path = join(dataDir, 'control.sock')
  const fromHere = relative(process.cwd(), path)
  return fromHere.length < path.length ? fromHere : path
}

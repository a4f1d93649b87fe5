import { join, relative } from 'node:path'

/**
 * Returns the path of the control socket of a service with an embedded log: the relative or the absolute path,
 * whichever is shorter, because socket paths are limited to about 100 bytes.
 */
export function controlSocket(dataDir: string): string {
  const path = join(dataDir, 'control.sock')
  const fromHere = relative(process.cwd(), path)
  return fromHere.length < path.length ? fromHere : path
}

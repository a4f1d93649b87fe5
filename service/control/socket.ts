import { join, relative } from 'node:path'

/**
 * Where a service whose log is embedded can be asked for what only the log's owner can do. Of the two ways to write the path the
 * shorter one, as the path of a socket has little more than a hundred bytes.
 */
export function controlSocket(dataDir: string): string {
  const path = join(dataDir, 'control.sock')
  const fromHere = relative(process.cwd(), path)
  return fromHere.length < path.length ? fromHere : path
}

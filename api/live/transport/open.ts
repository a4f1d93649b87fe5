import type { Live } from '../sessions/live.ts'
import { loadUws } from './load-uws.ts'
import type { Engine, LiveServer } from './server.ts'
import { createUwsServer, type UwsServerSettings } from './uws-server.ts'
import { createWsServer } from './ws-server.ts'

export interface LiveServerSettings extends UwsServerSettings {
  /** auto: uws if it is installed, otherwise ws. */
  readonly engine: Engine | 'auto'
  /** Called with the cause if uWebSockets is installed but cannot be used. */
  readonly onUnusable?: (cause: string) => void
}

/** Opens the server of the channels; rejects if the requested engine is not usable. `ws` loads no native code. */
export async function openLiveServer(
  live: Live,
  { engine, onUnusable = () => undefined, ...settings }: LiveServerSettings,
): Promise<LiveServer> {
  if (engine === 'ws') return createWsServer(live, settings)
  const causes: string[] = []
  const loaded = loadUws(cause => void causes.push(cause))
  for (const cause of causes) onUnusable(cause)
  if (loaded) return createUwsServer(loaded, live, settings)
  if (engine === 'auto') return createWsServer(live, settings)
  const cause = causes.length === 0 ? 'it is not installed' : causes.join('; ')
  throw new Error(
    `TAKT_LIVE_ENGINE=uws: uWebSockets cannot be used on ${process.platform} ${process.arch} with Node ${process.versions.node}: ${cause}`,
  )
}

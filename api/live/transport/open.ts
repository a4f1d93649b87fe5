import type { Live } from '../sessions/live.ts'
import type { Engine, LiveServer } from './server.ts'
import { loadUws } from './uws.ts'
import { createUwsServer, type UwsServerSettings } from './uws-server.ts'
import { createWsServer } from './ws-server.ts'

export interface LiveServerSettings extends UwsServerSettings {
  /** auto: the fastest that is installed. */
  readonly engine: Engine | 'auto'
}

/** Opens the transport of the channels; rejects if the requested engine is not installed. */
export async function openLiveServer(live: Live, { engine, ...settings }: LiveServerSettings): Promise<LiveServer> {
  const uws = engine === 'ws' ? null : loadUws()
  if (uws) return createUwsServer(uws, live, settings)
  if (engine === 'uws') throw new Error('TAKT_LIVE_ENGINE: uWebSockets is not installed for this platform')
  return createWsServer(live, settings)
}

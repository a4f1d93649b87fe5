import type { Live } from '../live.ts'
import type { Engine, LiveServer } from './server.ts'
import type { SocketIoSettings } from './socket-io.ts'
import { createWsServer } from './ws-server.ts'

export interface LiveServerSettings extends SocketIoSettings {
  /** auto: the fastest that is installed. */
  readonly engine: Engine | 'auto'
  readonly host: string
  /** Where clients may connect directly, where the engine has a port of its own; 0: any free one, null: they may not. */
  readonly port: number | null
}

/** Opens what carries the channels. */
export async function openLiveServer(live: Live, settings: LiveServerSettings): Promise<LiveServer> {
  return createWsServer(live, settings)
}

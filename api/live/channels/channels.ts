import type { Channel } from '../../../schema/requests/live.ts'
import type { ChannelDeclaration } from './channel.ts'
import { ConnectorsChannel } from './connectors.ts'
import { diagnosticsChannel } from './diagnostics.ts'
import { IncidentsChannel } from './incidents.ts'
import { statusChannel } from './status.ts'
import { TimelineChannel } from './timeline.ts'

type ChannelDeps = Parameters<typeof statusChannel>[0] &
  Parameters<typeof diagnosticsChannel>[0] &
  ConstructorParameters<typeof TimelineChannel>[0] &
  ConstructorParameters<typeof ConnectorsChannel>[0] &
  ConstructorParameters<typeof IncidentsChannel>[0]

/** Creates all channels. */
export function createChannels(deps: ChannelDeps): Readonly<Record<Channel, ChannelDeclaration>> {
  return {
    status: statusChannel(deps),
    diagnostics: diagnosticsChannel(deps),
    timeline: new TimelineChannel(deps),
    connectors: new ConnectorsChannel(deps),
    incidents: new IncidentsChannel(deps),
  }
}

import { expect } from 'chai'
import { Registry } from 'prom-client'
import { Health } from '../../../connect/run/health.ts'
import type { ConnectorState } from '../../../schema/connector-health.ts'
import { measureConnectors, type MeasuredConnector } from '../../../service/monitoring/connector-metrics.ts'

function connector(name: string, state: ConnectorState, observations: number, lagMs: number | null): MeasuredConnector {
  const health = new Health({ owner: 'host/1', timeOffsetMs: 0, clock: Date.now, onState: () => undefined })
  health.set(state)
  health.totals.observations = observations
  return { kind: name.startsWith('m') ? 'mtconnect' : 'shdr', name, health: { ...health.read(10), lagMs } }
}

function open(isByConnector: boolean) {
  const registry = new Registry()
  const plant: { connectors: readonly MeasuredConnector[] } = { connectors: [] }
  measureConnectors(registry, { isByConnector, read: () => plant.connectors })
  const read = async (name: string) => {
    const text = await registry.getSingleMetricAsString(name)
    return text.split('\n').filter(line => line.startsWith(name))
  }
  return { plant, read }
}

describe('metrics of connectors', () => {
  it('States, lags and bytes are those of the connectors of the process, by kind', async () => {
    const { plant, read } = open(false)
    plant.connectors = [
      connector('m1', 'connected', 0, 5_000),
      connector('m2', 'connected', 0, 2_000),
      connector('s', 'rejected', 0, null),
    ]
    expect(await read('takt_connector_states')).to.deep.equal([
      'takt_connector_states{kind="mtconnect",state="connected"} 2',
      'takt_connector_states{kind="shdr",state="rejected"} 1',
    ])
    expect(await read('takt_connector_lag_seconds')).to.deep.equal(['takt_connector_lag_seconds{kind="mtconnect"} 5'])
    expect(await read('takt_connector_waiting_bytes')).to.deep.equal([
      'takt_connector_waiting_bytes{kind="mtconnect"} 20',
      'takt_connector_waiting_bytes{kind="shdr"} 10',
    ])
    plant.connectors = []
    expect(await read('takt_connector_states')).to.deep.equal([])
  })

  it('A counter does not fall when a connector is restarted, moved to another process, or deleted', async () => {
    const { plant, read } = open(false)
    const name = 'takt_connector_observations_total'
    plant.connectors = [connector('m1', 'connected', 100, null), connector('m2', 'connected', 7, null)]
    expect(await read(name)).to.deep.equal([`${name}{kind="mtconnect"} 107`])
    plant.connectors = [connector('m1', 'connected', 3, null), connector('m2', 'connected', 9, null)]
    expect(await read(name)).to.deep.equal([`${name}{kind="mtconnect"} 112`])
    plant.connectors = [connector('m2', 'connected', 9, null)]
    expect(await read(name)).to.deep.equal([`${name}{kind="mtconnect"} 112`])
  })

  it('With the setting, each connector has its own figures', async () => {
    const { plant, read } = open(true)
    plant.connectors = [connector('m1', 'connected', 1, null), connector('m2', 'disconnected', 2, 1_000)]
    const name = 'takt_connector_observations_total'
    expect(await read(name)).to.deep.equal([
      `${name}{kind="mtconnect",connector="m1"} 1`,
      `${name}{kind="mtconnect",connector="m2"} 2`,
    ])
    expect(await read('takt_connector_states')).to.deep.equal([
      'takt_connector_states{kind="mtconnect",connector="m1",state="connected"} 1',
      'takt_connector_states{kind="mtconnect",connector="m2",state="disconnected"} 1',
    ])
  })
})

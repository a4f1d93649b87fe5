import type { ConnectorTrialsPort } from '../api/ports/ports.ts'
import { brokerReader } from '../connect/mqtt/read-broker.ts'
import { readAgent } from '../connect/mtconnect/read-agent.ts'
import { allowedLookup, type AllowsAddress, requireAllowed } from '../connect/run/allowed-lookup.ts'
import { readAdapter } from '../connect/shdr/read-adapter.ts'
import { findSourceError, type ReadSource } from '../connect/source/source.ts'
import { discoverSource } from '../connect/try/discover.ts'
import { preview } from '../connect/try/preview.ts'
import { tryRecording } from '../connect/try/try-recording.ts'
import type { Records } from '../processors/records/records.ts'
import { ApiError, fieldError, invalidJsonCode, unavailable, validationError } from '../schema/errors.ts'
import type { ConnectorKind } from '../schema/records/connector.ts'
import { sentSecrets } from '../schema/records/connector-secrets.ts'
import { defaultMachineSettings, stateSettings } from '../schema/records/machine.ts'
import { joinSignals, withSignals } from '../shared/async/join-signals.ts'
import { Shares } from '../shared/shares.ts'
import type { SecretFolder } from './secret-folder.ts'

/** Limits of the trials that run at the same time, of a process and of a company. */
const maxTrials = { all: 8, ofCompany: 3 } as const

const readers: Readonly<Partial<Record<ConnectorKind, ReadSource>>> = {
  mtconnect: readAgent,
  mqtt: brokerReader([5, 4], { isTemporary: true }),
  shdr: readAdapter,
}

export interface ConnectorTrialsOptions {
  readonly records: Records
  readonly allows: AllowsAddress
  readonly secretFolder: Pick<SecretFolder, 'read'>
  /** UTC ms. */
  readonly clock: () => number
}

/** Tries connectors in this process, within the networks and limits of connectors. */
export class ConnectorTrials {
  readonly port: ConnectorTrialsPort['connectorTrials']
  readonly #stopped = new AbortController()

  constructor({ records, allows, secretFolder, clock }: ConnectorTrialsOptions) {
    const lookup = allowedLookup(allows)
    const slots = new Shares({ limit: maxTrials.all })
    const stopped = this.#stopped.signal
    const settingsOf = (companyId: string) => (machineId: string) => {
      const machine = records.get('machine', companyId, machineId)
      return machine === null ? newMachine : stateSettings(machine)
    }
    this.port = {
      enter(companyId) {
        if (slots.usedBy(companyId) >= maxTrials.ofCompany || !slots.reserve(companyId, 1))
          throw new ApiError(429, 'TooManyRequests', 'Too many trials of connectors at once', { retryAfterS: 5 })
        return () => slots.release(companyId, 1)
      },
      async discover(companyId, source, signal) {
        try {
          requireAllowed(source.address, allows)
          const files = await secretFolder.read(companyId, source.secrets ?? {})
          const secrets = { ...sentSecrets(source.secrets ?? null), ...files }
          const found = await withSignals([signal, stopped], joined =>
            discoverSource({ ...source, secrets }, { lookup, clock, signal: joined }),
          )
          return { ...found, problem: null }
        } catch (error) {
          if (stopped.aborted) throw unavailable('The service is stopping')
          const failure = findSourceError(error)
          if (failure === null) throw error
          const problem = { state: failure.state, message: failure.message }
          return { devices: [], values: [], recording: [], problem }
        }
      },
      async *preview(connector, secrets, signal) {
        const read: ReadSource = async session => {
          requireAllowed(connector.address, allows)
          const files = await secretFolder.read(connector.companyId, connector.secrets)
          await readers[connector.kind]?.({ ...session, secrets: { ...session.secrets, ...files } })
        }
        const settings = settingsOf(connector.companyId)
        const joined = joinSignals(signal, stopped)
        try {
          yield* preview({ connector, secrets, read, lookup, settingsOf: settings, clock, signal: joined.signal })
        } finally {
          joined.release()
        }
      },
      async try(connector, recording, signal) {
        const options = { connector, settingsOf: settingsOf(connector.companyId), nowMs: clock(), signal }
        try {
          return await tryRecording(recording, options)
        } catch (error) {
          if (error instanceof ApiError && error.code === invalidJsonCode)
            throw validationError([fieldError('recording', 'InvalidDataItem', `recording: ${error.message}`)])
          const failure = findSourceError(error)
          if (failure === null) throw error
          throw validationError([fieldError('connector', 'InvalidDataItem', failure.message)])
        }
      },
    }
  }

  /** Ends all trials. */
  stop(): void {
    this.#stopped.abort()
  }
}

/** Settings of a machine that does not exist yet. */
const newMachine = stateSettings(defaultMachineSettings)

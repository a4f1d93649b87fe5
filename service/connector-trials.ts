import type { ConnectorTrialsPort } from '../api/ports/ports.ts'
import { brokerReader } from '../connect/mqtt/read-broker.ts'
import { readRecentAgent } from '../connect/mtconnect/read-agent.ts'
import { allowedLookup, type AllowsAddress, requireAllowed } from '../connect/run/allowed-lookup.ts'
import { readAdapter } from '../connect/shdr/read-adapter.ts'
import { findSourceError, type ReadSource } from '../connect/source/source.ts'
import { discoverSource, type Found } from '../connect/try/discover.ts'
import { findPosted } from '../connect/try/posted-samples.ts'
import { preview } from '../connect/try/preview.ts'
import { tryRecording } from '../connect/try/try-recording.ts'
import { canonicalId } from '../processors/records/record-ids.ts'
import type { Records } from '../processors/records/records.ts'
import { ApiError, fieldError, invalidJsonCode, unavailable, validationError } from '../schema/errors.ts'
import type { ConnectorKind } from '../schema/records/connector.ts'
import { sentSecrets } from '../schema/records/connector-secrets.ts'
import { defaultMachineSettings, stateSettings } from '../schema/records/machine.ts'
import type { MachineRef } from '../schema/refs.ts'
import type { DiscoverInput } from '../schema/requests/connector-trial.ts'
import type { Sample } from '../schema/sample.ts'
import { joinSignals } from '../shared/async/join-signals.ts'
import { Shares } from '../shared/shares.ts'
import type { SecretFolder } from './secret-folder.ts'

/** Limits of the trials that run at the same time, of a process and of a company. */
const maxTrials = { all: 8, ofCompany: 3 } as const

const readers: Readonly<Partial<Record<ConnectorKind, ReadSource>>> = {
  mtconnect: readRecentAgent,
  mqtt: brokerReader([5, 4], { isTemporary: true }),
  shdr: readAdapter,
}

export interface ConnectorTrialsOptions {
  readonly records: Records
  readonly allows: AllowsAddress
  readonly secretFolder: Pick<SecretFolder, 'read'>
  /** Reads the newest stored samples of a machine, of the last hour. */
  readonly recentSamples: (companyId: string, machineRef: MachineRef) => Promise<readonly Sample[]>
  /** UTC ms. */
  readonly clock: () => number
}

/** Tries connectors in this process, within the networks and limits of connectors. */
export class ConnectorTrials {
  readonly port: ConnectorTrialsPort['connectorTrials']
  readonly #stopped = new AbortController()

  constructor({ records, allows, secretFolder, recentSamples, clock }: ConnectorTrialsOptions) {
    const lookup = allowedLookup(allows)
    const slots = new Shares({ limit: maxTrials.all })
    const stopped = this.#stopped.signal
    const settingsOf = (companyId: string) => (machineId: string) => {
      const machine = records.get('machine', companyId, machineId)
      return machine === null ? newMachine : stateSettings(machine)
    }
    async function* ofAddress(companyId: string, { address, ...source }: DiscoverInput, signal: AbortSignal) {
      requireAllowed(address ?? null, allows)
      const files = await secretFolder.read(companyId, source.secrets ?? {})
      const secrets = { ...sentSecrets(source.secrets ?? null), ...files }
      yield* discoverSource({ ...source, address: address ?? '', secrets }, { lookup, clock, signal })
    }
    async function* posted(companyId: string, machineId: string): AsyncGenerator<Found> {
      const machine = records.get('machine', companyId, canonicalId(machineId))
      if (machine === null) return
      const samples = await recentSamples(companyId, machine.ref)
      yield findPosted(machine.id, samples, records.list('connector', companyId))
    }
    this.port = {
      enter(companyId) {
        if (slots.usedBy(companyId) >= maxTrials.ofCompany || !slots.reserve(companyId, 1))
          throw new ApiError(429, 'TooManyRequests', 'Too many trials of connectors at once', { retryAfterS: 5 })
        return () => slots.release(companyId, 1)
      },
      async *discover(companyId, source, signal) {
        const joined = joinSignals(signal, stopped)
        const found = (): AsyncIterable<Found> => {
          if (source.kind === 'http') return posted(companyId, source.machineId ?? '')
          return ofAddress(companyId, source, joined.signal)
        }
        try {
          for await (const each of found()) yield { ...each, problem: null }
        } catch (error) {
          if (stopped.aborted) throw unavailable('The service is stopping')
          const failure = findSourceError(error)
          if (failure === null) throw error
          yield { ...nothing, problem: { state: failure.state, message: failure.message } }
        } finally {
          joined.release()
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
const nothing = { devices: [], values: [], recording: [] } as const satisfies Found

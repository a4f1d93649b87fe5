import type { Store } from '../../clickhouse/client/store.ts'
import type { Records } from '../../processors/records/records.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import type { ConnectorHealth } from '../../schema/connector-health.ts'
import type { ConnectorRecord } from '../../schema/records/connector.ts'
import type {
  DiscoveredDevice,
  DiscoverInput,
  Discovery,
  PreviewUpdate,
  TrialResult,
} from '../../schema/requests/connector-trial.ts'
import type { CompanyRef } from '../../schema/refs.ts'
import type { AllowedNetworks } from '../../shared/allowed-networks.ts'
import type { WebhookAddresses } from '../../shared/webhook-addresses.ts'
import type { SecretBox } from '../../shared/secret-box.ts'

/** Records in the memory of this process. */
export interface RecordsPort {
  /** Updated from records.v1. */
  readonly records: Records
}

/** The store, whose reads of records contain every change that was answered before. */
export interface StorePort {
  readonly store: Store
}

/** Records, including those that another process has just created. */
export interface LookUpPort extends RecordsPort {
  /**
   * Resolves when the records contain everything that is in the log now, including recent writes of other processes.
   */
  readonly catchUpRecords: () => Promise<void>
}

/** Sends commands to the registrar. */
export interface CommandsPort {
  readonly commands: Pick<CommandClient, 'submit'>
}

/** Secrets, addresses and health of connectors. */
export interface ConnectorsPort {
  /** Encrypts secrets; null: no key is configured. */
  readonly connectorSecrets: SecretBox | null
  /** Whether connectors may name files with secrets. */
  readonly hasSecretFolder: boolean
  readonly connectorNetworks: AllowedNetworks
  /** The health of the connectors of all processes; null: no process has published it recently. */
  readonly connectorHealth: { get(companyRef: CompanyRef, connectorId: string): ConnectorHealth | null }
}

/** Tries connectors that are not saved, over connections of this process. Stores nothing. */
export interface ConnectorTrialsPort {
  readonly connectorTrials: {
    /** Reserves a slot of a company; returns its release. Throws an `ApiError` 429 if none is free. */
    enter(companyId: string): () => void
    /** Yields what a source has, for a company; a source that cannot be read is the `problem` of a result. */
    discover(companyId: string, source: DiscoverInput, signal: AbortSignal): AsyncIterable<FoundSource>
    /** Yields the samples and states of a connector until the signal aborts or a limit is reached. */
    preview(
      connector: ConnectorRecord,
      secrets: Readonly<Record<string, string>>,
      signal: AbortSignal,
    ): AsyncIterable<PreviewUpdate>
    /** Maps a recording. Throws an `ApiError` or `JsonOutOfBounds` if it cannot be read. */
    try(connector: ConnectorRecord, recording: readonly string[], signal: AbortSignal): Promise<TrialResult>
  }
}

/** Devices and topics of a source, without the machines of the company. */
export interface FoundSource extends Omit<Discovery, 'devices'> {
  readonly devices: readonly Omit<DiscoveredDevice, 'machineId'>[]
}

/** Addresses of webhooks. */
export interface WebhooksPort {
  readonly webhookAddresses: WebhookAddresses
}

/** Documents, statuses and stored samples are derived from samples at intervals. */
export interface FreshnessPort {
  /** Ends these intervals. Called at each read of derived data, so that the next read includes the samples of now. */
  readonly requestFlush: () => void
}

export interface ClockPort {
  readonly clock: () => number
}

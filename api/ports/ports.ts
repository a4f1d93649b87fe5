import type { Store } from '../../clickhouse/client/store.ts'
import type { Records } from '../../processors/records/records.ts'
import type { CommandClient } from '../../processors/registrar/client.ts'
import type { ConnectorHealth } from '../../schema/connector-health.ts'
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
  readonly connectorNetworks: AllowedNetworks
  /** The health of the connectors of all processes; null: no process has published it recently. */
  readonly connectorHealth: { get(companyRef: CompanyRef, connectorId: string): ConnectorHealth | null }
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

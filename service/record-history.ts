import { ofPipeline } from '../clickhouse/client/rows.ts'
import type { QueryOptions, Store } from '../clickhouse/client/store.ts'
import { readMachineRecords, readNextRun } from '../clickhouse/projections/machine-records.ts'
import { readStarts } from '../clickhouse/projections/record-starts.ts'
import {
  readOperationsRunOnlyBy,
  readRecordsOfMachines,
  readUseElsewhere,
} from '../clickhouse/projections/records-of-machines.ts'
import { readOperations, readOperationsByNames } from '../clickhouse/projections/job-operations.ts'
import { lookupSettings, readRecordsById } from '../clickhouse/projections/records-by-id.ts'
import { readUses } from '../clickhouse/projections/uses.ts'
import type { RecordHistory } from '../processors/records/record-history.ts'
import { maxActiveOperations } from '../processors/registrar/deciding/stored-reads.ts'
import type { RegistrarHistory } from '../processors/registrar/options.ts'

/** Returns the reads of records that are not in memory. */
export function recordHistory(store: Store): Omit<RecordHistory, 'inMemoryFromMs'> {
  return {
    readRecords: (companyId, spans, maxMs) => readMachineRecords(store, companyId, spans, maxMs, ofPipeline),
    async readNextRunStart(companyId, machineId, afterMs) {
      const next = await readNextRun(store, companyId, machineId, afterMs, ofPipeline)
      return next ? Date.parse(next.startAt) : null
    },
    readStarts: (companyId, filter) => readStarts(store, companyId, filter, ofPipeline),
  }
}

export interface RegistrarHistoryDeps {
  /** A store whose reads wait for accepted changes. */
  readonly store: Store
  /** A store whose reads do not wait. */
  readonly unsettled: Store
  /** Resolves when the store contains all accepted changes. */
  readonly settled: () => Promise<void>
}

const lookup: QueryOptions = { workload: 'lookup', settings: lookupSettings }

/** Returns the reads of records on which decisions of the registrar depend. */
export function registrarHistory({ store, unsettled, settled }: RegistrarHistoryDeps): RegistrarHistory {
  return {
    settled,
    uses: used => readUses(store, used),
    readByIds: ({ kind, companyId }, ids) => readRecordsById(unsettled, kind, companyId, ids, lookup),
    readByNames: (companyId, names) => readOperationsByNames(unsettled, companyId, names, lookup),
    activeOperations: ({ companyId }) =>
      readOperations(store, companyId, { archived: false, afterRef: 0, limit: maxActiveOperations + 1 }, ofPipeline),
    async span({ companyId, machineId, fromMs, toMs, maxSignInMs }) {
      const [found] = await readMachineRecords(store, companyId, [{ machineId, fromMs, toMs }], maxSignInMs, ofPipeline)
      if (!found) throw new Error('Invariant: the store returns the records of every span')
      return found
    },
    async machines({ companyId, machineIds }) {
      const operations = await readOperationsRunOnlyBy(store, companyId, machineIds)
      const ids = operations.map(({ id }) => id)
      return {
        operations,
        records: await readRecordsOfMachines(store, companyId, machineIds),
        elsewhere: await readUseElsewhere(store, companyId, machineIds, ids),
      }
    },
  }
}

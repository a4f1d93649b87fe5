import { guardedStore } from '../../../clickhouse/tables/company-guard.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import type { Records } from '../../../processors/records/records.ts'
import type { CompanyRecord } from '../../../schema/records/company.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import { createSerial } from '../../../shared/async/serial.ts'
import { WorkSlice } from '../../../shared/async/work-slice.ts'
import { problem } from '../compile/problem.ts'
import type { GraphqlLimits } from '../../ports/graphql-limits.ts'
import { ArgumentBudget } from './argument-budget.ts'
import { AnswerBudget, type AnswerRoom } from './answer-budget.ts'
import type { Memory, Operation, RecentValuesSource, ReportRunners } from './context.ts'
import type { Read } from './reads.ts'
import type { RootResolver } from './execute.ts'
import { resolveRoot } from './resolve.ts'

/** The parts of the process that operations read. */
export interface ExecutionDeps {
  readonly store: Store
  readonly records: Records
  readonly statuses: { get(machineRef: MachineRef): { readonly sinceMs: number } | null }
  /** Latest values that may not be in the store yet. */
  readonly recentValues: RecentValuesSource
  /** Resolves when the samples up to `toMs` that were accepted before are in the store, or a moment has passed; by default at once. */
  readonly recentSamples?: (toMs: number) => Promise<void>
  /** UTC ms. */
  readonly clock: () => number
  /** null: over WebSocket, where no report is made. */
  readonly reports: ReportRunners | null
  readonly limits: GraphqlLimits
}

/** The context value of one operation: whose plant it asks, within which time. */
export interface ExecutionContext {
  readonly company: CompanyRecord
  /** Aborted when the caller goes away or the time is over. */
  readonly signal: AbortSignal
  readonly isLate: () => boolean
  /** Told what each root list reads, before it is read. */
  readonly onReads?: (reads: readonly Read[]) => void
  /** Left out: the store is asked for everything. */
  readonly memory?: Memory | null
  /** Memory for the answer; none: only the bounds of one operation hold. */
  readonly room?: AnswerRoom
}

/** Makes what finds the root fields of an operation: they ask the store for all that is selected of them. */
export function rootResolver(context: ExecutionContext, deps: ExecutionDeps): RootResolver {
  const operation = operationOf(context, deps)
  return async field => {
    try {
      return await resolveRoot(field, operation)
    } catch (error) {
      throw context.isLate() ? problem('time-limit-exceeded', 'The query took too long', error) : error
    }
  }
}

const atOnce = async (): Promise<void> => undefined

function operationOf({ company, signal, onReads, memory, room }: ExecutionContext, deps: ExecutionDeps): Operation {
  const { store, records, statuses, recentValues, recentSamples = atOnce, clock, limits, reports } = deps
  const { id: companyId, ref, settings } = company
  const statusStarts = () =>
    records.list('machine', companyId).flatMap(machine => {
      const status = statuses.get(machine.ref)
      return status ? [[machine.ref, status.sinceMs] as const] : []
    })
  return {
    scope: { companyRef: ref, companyId, settings, nowMs: clock(), recentValues: [], statusStarts },
    store: guardedStore(store, ref, companyId),
    options: {
      settings: {
        readonly: 2,
        // Statements are small and each is another: to compile their expressions takes longer than they run.
        compile_expressions: 0,
        compile_aggregate_expressions: 0,
        compile_sort_description: 0,
        cancel_http_readonly_queries_on_client_close: 1,
        max_execution_time: Math.ceil(limits.withinMs / 1000),
        max_memory_usage: limits.memoryBytes,
        max_result_bytes: storeBytesPerChar * limits.answerChars,
      },
      logComment: `/graphql company=${ref}`,
      workload: 'report',
      signal,
    },
    budget: new AnswerBudget(limits, room),
    argumentBudget: new ArgumentBudget(),
    slice: new WorkSlice(),
    recentValues,
    recentSamples,
    machineRef: id => records.get('machine', companyId, id)?.ref ?? null,
    onReads: onReads ?? (() => undefined),
    reports,
    memory: memory ?? null,
    reportsInTurn: createSerial(),
  }
}

/** Columns may take more memory in the store than their texts have characters. */
const storeBytesPerChar = 4

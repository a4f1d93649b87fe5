import { guardedStore } from '../../../clickhouse/tables/company-guard.ts'
import type { Store } from '../../../clickhouse/client/store.ts'
import type { Records } from '../../../processors/records/records.ts'
import type { CompanyRecord } from '../../../schema/records/company.ts'
import type { MachineRef } from '../../../schema/refs.ts'
import { setMaxListeners } from 'node:events'
import { joinSignals } from '../../../shared/async/join-signals.ts'
import { createSerial } from '../../../shared/async/serial.ts'
import { TimeSlice } from '../../../shared/async/time-slice.ts'
import { problem } from '../compile/problem.ts'
import type { GraphqlLimits } from '../../ports/graphql-limits.ts'
import type { FreshnessPort } from '../../ports/ports.ts'
import { ArgumentBudget } from './argument-budget.ts'
import { ResponseBudget } from './response-budget.ts'
import type { LocalResults, OperationContext, RecentValuesSource, ReportRunners } from './context.ts'
import type { Read } from './reads.ts'
import type { RootResolver } from './execute.ts'
import { resolveRoot } from './resolve.ts'

/** Dependencies of the execution of operations. */
export interface ExecutionDeps {
  readonly store: Store
  readonly records: Records
  readonly statuses: { get(machineRef: MachineRef): { readonly sinceMs: number } | null }
  /** Latest values that may not be stored yet. */
  readonly recentValues: RecentValuesSource
  /**
   * Resolves when the samples up to `toMs` that were accepted before the call are stored, or after a short timeout;
   * default: resolves immediately.
   */
  readonly recentSamples?: (toMs: number) => Promise<void>
  readonly clock: () => number
  /** null: over WebSocket, where reports are not available. */
  readonly reports: ReportRunners | null
  readonly limits: GraphqlLimits
  /** Called when a root field was read; absent for subscriptions, which read again after each change anyway. */
  readonly requestFlush?: FreshnessPort['requestFlush']
}

/** Context of one operation: its company, limits and signals. */
export interface ExecutionContext {
  readonly company: CompanyRecord
  /** Aborts when the caller disconnects or the time limit is reached. */
  readonly signal: AbortSignal
  /** Whether the time limit is reached. */
  readonly isLate: () => boolean
  /** Called with the sources that each root list will read. */
  readonly onReads?: (reads: readonly Read[]) => void
  /** By default every statement is sent to the store. */
  readonly localResults?: LocalResults | null
  /** Limits the response; the operations of an HTTP request share one budget. Default: a budget of its own. */
  readonly budget?: ResponseBudget
}

/** Creates the resolver of the root fields of an operation. */
export function rootResolver(context: ExecutionContext, deps: ExecutionDeps): RootResolver {
  const budget = context.budget ?? new ResponseBudget(deps.limits)
  const operation = operationOf(context, deps, budget)
  return async field => {
    try {
      return await resolveRoot(field, operation)
    } catch (error) {
      // If a limit ended the work, its error is returned, even if another part of the work failed first.
      budget.exceeded.throwIfAborted()
      throw context.isLate() ? timeLimitError(error) : error
    } finally {
      deps.requestFlush?.()
    }
  }
}

/** Creates the error of an operation that reached its time limit. */
export function timeLimitError(cause?: unknown) {
  return problem('time-limit-exceeded', 'The query took too long', cause)
}

/** Assumed bytes per row of the store's result that the response does not contain: keys for sorting and joining. */
const hiddenBytes = 200

const noWait = async (): Promise<void> => undefined

function operationOf(
  { company, signal: ended, onReads, localResults }: ExecutionContext,
  deps: ExecutionDeps,
  budget: ResponseBudget,
): OperationContext {
  const { store, records, statuses, recentValues, recentSamples = noWait, clock, limits, reports } = deps
  const { id: companyId, ref, settings } = company
  const { signal } = joinSignals(ended, budget.exceeded)
  // Each list of the operation adds a listener.
  setMaxListeners(0, signal)
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
        // Compiling the expressions of these small statements, which differ each time, takes longer than running them.
        compile_expressions: 0,
        compile_aggregate_expressions: 0,
        compile_sort_description: 0,
        cancel_http_readonly_queries_on_client_close: 1,
        max_execution_time: Math.ceil(limits.withinMs / 1000),
        max_memory_usage: limits.memoryBytes,
        max_result_bytes: limits.responseBytes + hiddenBytes * limits.rows,
      },
      logComment: `/graphql company=${ref}`,
      workload: 'report',
      signal,
    },
    signal,
    budget,
    argumentBudget: new ArgumentBudget(),
    slice: new TimeSlice(signal),
    recentValues,
    recentSamples,
    machineRef: id => records.get('machine', companyId, id)?.ref ?? null,
    onReads: onReads ?? (() => undefined),
    reports,
    localResults: localResults ?? null,
    reportsInTurn: createSerial(),
  }
}

import type { Browser, Page } from 'playwright-core'

/** Tasks of the main thread of a page, longest first, in ms. */
export interface Tasks {
  /** CPU time of each task: waiting for a core does not count. */
  readonly cpuMs: readonly number[]
  /** Wall-clock time of each task. */
  readonly clockMs: readonly number[]
}

/** Event of a trace; times in µs. */
interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly dur?: number
  /** CPU time of the thread. */
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

const categories = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline']
const taskName = 'ThreadControllerImpl::RunTask'

/** Traces the browser during the work; resolves to the tasks of the page, which is the busiest process. */
export async function tasksOf(browser: Browser, page: Page, work: () => Promise<unknown>): Promise<Tasks> {
  await browser.startTracing(page, { categories })
  await work()
  const text = (await browser.stopTracing()).toString()
  const { traceEvents }: { readonly traceEvents: readonly TraceEvent[] } = JSON.parse(text)
  const mains = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const all = mains.map(main =>
    traceEvents.filter(({ name, pid, tid }) => name === taskName && pid === main.pid && tid === main.tid),
  )
  const [tasks = []] = all.toSorted((a, b) => cpuOf(b) - cpuOf(a))
  if (!tasks.some(({ tdur }) => tdur !== undefined)) throw new Error('The trace contains no CPU time of tasks')
  return { cpuMs: longest(tasks.map(({ tdur = 0 }) => tdur)), clockMs: longest(tasks.map(({ dur = 0 }) => dur)) }
}

function cpuOf(tasks: readonly TraceEvent[]): number {
  return tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0)
}

function longest(durationsUs: readonly number[]): readonly number[] {
  return durationsUs.map(us => us / 1_000).toSorted((a, b) => b - a)
}

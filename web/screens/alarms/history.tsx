import { useEffect, useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { AlarmInstanceRow } from '../../../schema/requests/alarm-instances.ts'
import type { Filter } from '../../data/production.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Await, Failure } from '../../ui/notice.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useAction } from '../../ui/use-action.ts'

const pageSize = 30

interface HistoryProps {
  /** Another object each time when there may be newer alarms. */
  readonly range: { readonly start: string; readonly end: string }
  readonly filter: Filter
  readonly known: readonly MachineListItem[]
}

interface Page {
  readonly view: string
  readonly alarms: readonly AlarmInstanceRow[]
  readonly hasMore: boolean
}

/** Alarms that began in the range, newest first, a page at a time. */
export function History({ range, filter, known }: HistoryProps) {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const [page, setPage] = useState<Page | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const view = JSON.stringify([range.start, filter])
  const load = async (after: { readonly start: string } | { readonly startId: number }): Promise<Page> => {
    const { instances } = await client.call('POST /reports/alarm/instances', {
      body: { ...after, direction: 'DESC', limit: pageSize, filter },
    })
    const alarms = instances.filter(({ start }) => start >= range.start)
    return { view, alarms, hasMore: instances.length === pageSize && alarms.length === pageSize }
  }
  useEffect(() => {
    let isOver = false
    load({ start: range.end }).then(
      first => isOver || (setPage(before => withOlder(first, before)), setFailure(null)),
      (error: unknown) => isOver || setFailure(error),
    )
    return () => {
      isOver = true
    }
  }, [client, view, range])
  const last = page?.alarms.at(-1)
  const older = async () => {
    if (!page || !last) return
    const next = await load({ startId: last.alarmId })
    // The list may have been replaced or extended meanwhile.
    setPage(now =>
      now?.view === next.view && now.alarms.at(-1)?.alarmId === last.alarmId
        ? { ...next, alarms: [...now.alarms, ...next.alarms] }
        : now,
    )
  }
  const words = t.alarms
  const names = new Map(known.map(({ id, name }) => [id, name]))
  const columns: readonly Column<AlarmInstanceRow>[] = [
    { title: t.terms.start, class: 'when', cell: ({ start }) => format.dateTime(start) },
    { title: t.terms.machine, cell: ({ machineId }) => names.get(machineId) ?? t.none },
    { title: words.code, cell: ({ nativeCode }) => <code>{nativeCode || t.none}</code> },
    { title: words.message, cell: ({ message }) => message || t.none },
    {
      title: t.terms.state,
      cell: ({ state }) => (
        <span class="alarm-state" data-status={state === 'FAULT' ? 'FAULT' : 'WARNING'}>
          <StatusMark status={state === 'FAULT' ? 'FAULT' : 'WARNING'} />
          {words.states[state]}
        </span>
      ),
    },
    { title: words.end, class: 'when', cell: ({ end }) => (end === null ? words.active : format.dateTime(end)) },
    { title: t.terms.duration, class: 'figure-cell', cell: ({ durationMs }) => format.duration(durationMs) },
  ]
  return (
    <section class="stack" aria-labelledby="history-title">
      <h2 id="history-title">{words.history}</h2>
      <Await loaded={{ value: page, error: failure }}>
        {({ alarms }) => <Table look="compact" columns={columns} rows={alarms} keyOf={({ alarmId }) => alarmId} />}
      </Await>
      <Failure error={action.error} />
      {page?.hasMore && <Button text={words.older} disabled={action.isBusy} onClick={() => action.run(older)} />}
    </section>
  )
}

/** The first page, with the older ones that were shown after it. */
function withOlder(first: Page, before: Page | null): Page {
  const last = first.alarms.at(-1)
  const index = before?.view === first.view ? before.alarms.findIndex(({ alarmId }) => alarmId === last?.alarmId) : -1
  if (before === null || index === -1) return first
  const older = before.alarms.slice(index + 1)
  return older.length === 0 ? first : { ...before, alarms: [...first.alarms, ...older] }
}

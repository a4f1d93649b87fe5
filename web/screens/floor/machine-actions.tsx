import { useState } from 'preact/hooks'
import type { DowntimeReasonResponse } from '../../../schema/records/downtime-reason.ts'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import { appliesToAll } from '../../data/reason-groups.ts'
import { useLoad } from '../../data/use-load.ts'
import { hasScope, type Viewer, useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, RemoveDialog } from '../../ui/dialog.tsx'
import { Await, Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { StartDialog } from '../jobs/start-dialog.tsx'
import { AdjustmentDialog } from '../../records/adjustment-dialog.tsx'
import { GroupedReasons } from '../../records/grouped-reasons.tsx'
import type { FloorMachine, OpenStop } from './floor-machine.ts'

type Open = 'scrap' | 'start' | 'stop' | null

export interface MachineActionsProps {
  readonly floor: FloorMachine
}

/** Actions at a machine: assign the reason of its stop, enter rejects, start or stop its job. */
function MachineActions({ floor: { machine, stop } }: MachineActionsProps) {
  const { t } = useLocale()
  const viewer = useViewer()
  const [open, setOpen] = useState<Open>(null)
  const [message, setMessage] = useState('')
  const loaded = useLoad(() => loadChoices(viewer, machine.id), [viewer, machine.id])
  const words = t.floor.details
  const close = () => setOpen(null)
  const done = (text: string) => {
    close()
    setMessage(text)
    loaded.reload()
  }
  const runs = loaded.value?.runs ?? []
  return (
    <>
      {stop !== null && loaded.value !== null && hasScope(viewer, 'annotation') && (
        <Reasons key={stop.id} stop={stop} machine={machine} reasons={loaded.value.reasons} />
      )}
      <div class="presets">
        {hasScope(viewer, 'part-adjustment') && (
          <Button text={t.quality.enter} disabled={loaded.value === null} onClick={() => setOpen('scrap')} />
        )}
        {hasScope(viewer, 'erp') && machine.erpMachineId !== null && runs.length === 0 && (
          <Button text={t.jobs.start} disabled={loaded.value === null} onClick={() => setOpen('start')} />
        )}
        {runs.length > 0 && <Button text={words.stopJob} onClick={() => setOpen('stop')} />}
      </div>
      <p class="done" role="status">
        {message}
      </p>
      <Failure error={loaded.error} onRetry={loaded.reload} />
      {open === 'scrap' && loaded.value !== null && (
        <AdjustmentDialog
          entry={null}
          as="reject"
          machines={[machine.id]}
          known={[machine]}
          types={loaded.value.types}
          onClose={close}
          onSaved={() => done(words.saved)}
        />
      )}
      {open === 'start' && <StartJob machine={machine} onClose={close} onStarted={() => done(words.started)} />}
      {open === 'stop' && (
        <RemoveDialog
          title={words.stopTitle(machine.name)}
          text={t.jobs.stopText}
          submit={t.jobs.stop}
          onClose={close}
          onRemove={async () => {
            for (const { id } of runs)
              await viewer.client.call('POST /erp/jobdispatch/stop', { body: { erpJobOperationRunId: id } })
            done(words.stopped)
          }}
        />
      )}
    </>
  )
}

async function loadChoices(viewer: Viewer, machineId: string) {
  const { client } = viewer
  const [reasons, types, runs] = await Promise.all([
    hasScope(viewer, 'annotation') ? client.call('GET /downtime-reasons') : [],
    hasScope(viewer, 'part-adjustment') ? client.call('GET /part-adjustment-types') : [],
    hasScope(viewer, 'erp') ? client.call('GET /job-runs', { query: { machineId, running: 'true' } }) : [],
  ])
  return { reasons: reasons.filter(({ hidden }) => !hidden), types, runs }
}

interface ReasonsProps {
  readonly stop: OpenStop
  readonly machine: MachineListItem
  /** Reasons of all machines. */
  readonly reasons: readonly DowntimeReasonResponse[]
}

/** The reasons of a machine by group as buttons; the stop gets that which is pressed. */
function Reasons({ stop, machine, reasons }: ReasonsProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const [assigned, setAssigned] = useState<DowntimeReasonResponse | null>(null)
  const offered = reasons.filter(reason => appliesToAll(reason, [machine]))
  const isCurrent = ({ id, name }: DowntimeReasonResponse) =>
    assigned === null ? name === stop.reason : id === assigned.id
  const assign = (reason: DowntimeReasonResponse) =>
    action.run(async () => {
      await client.call('POST /downtime-records/categorize', { body: { records: [stop.id], reasonId: reason.id } })
      setAssigned(reason)
    })
  return (
    <section class="stack" aria-labelledby="card-reasons">
      <h3 id="card-reasons">{t.downtime.give}</h3>
      {offered.length === 0 && (
        <p class="hint">{reasons.length === 0 ? t.downtime.noReasons : t.downtime.noneApplies}</p>
      )}
      <div class="reason-groups">
        <GroupedReasons reasons={offered} look="presets">
          {reason => (
            <button type="button" class="filter" aria-pressed={isCurrent(reason)} onClick={() => assign(reason)}>
              {reason.name}
            </button>
          )}
        </GroupedReasons>
      </div>
      <p class="done" role="status">
        {assigned !== null && t.downtime.changed('1', assigned.name)}
      </p>
      <Failure error={action.error} />
    </section>
  )
}

interface StartJobProps {
  readonly machine: MachineListItem
  readonly onClose: () => void
  readonly onStarted: () => void
}

function StartJob({ machine, onClose, onStarted }: StartJobProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const loaded = useLoad(() => client.call('GET /job-operations'), [client])
  if (loaded.value !== null)
    return (
      <StartDialog data={{ machines: [machine], operations: loaded.value }} onClose={onClose} onStarted={onStarted} />
    )
  return (
    <Dialog title={t.jobs.start} onClose={onClose}>
      <Await loaded={loaded}>{() => null}</Await>
    </Dialog>
  )
}

export { MachineActions as screen }
